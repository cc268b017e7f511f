import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reading and writing comments.
extension State {
    // MARK: The sheet

    mutating func setService(takesComments: Bool, now: Duration) -> [Effect] {
        feed.takesComments = takesComments
        guard !acceptsComments, isHeld else { return [] }
        return endTyping(now: now)
    }

    /// Opens or closes the sheet. Its comments are loaded again, because others write too; those that are known are
    /// shown meanwhile.
    mutating func openComments(now: Duration) -> [Effect] {
        guard let item = content?.item, view.sheet != .comments else { return open(.comments) }
        _ = open(.comments)
        (discussion.chosen, discussion.lead) = (nil, 0)
        return discussion[item.id].askAgain() ? [.loadComments(item.id, after: nil)] : []
    }

    /// The current item's comments.
    var commentList: CommentList { currentID.map { discussion[$0] } ?? CommentList() }

    /// Loads the next page when the end of what is known comes near, and lays out what the sheet shows.
    mutating func prepareComments() -> [Effect] {
        guard view.sheet == .comments, let item = currentID else {
            discussion.rows = nil
            return []
        }
        var effects: [Effect] = []
        let layout = SheetLayout(self)
        let isNear = layout.first + 3 * layout.body.rows >= layout.total
        if isNear, commentList.failure == nil, let next = discussion[item].askForMore() {
            effects.append(.loadComments(item, after: next))
        }
        discussion.rows = commentRows(columns: layout.body.columns)
        return effects
    }

    func commentRows(columns: Int) -> CommentRows {
        let list = commentList
        let source = CommentRows.Source(
            item: currentID ?? "", revision: list.revision, columns: columns, isDense: size.rows < 20,
            tail: tail(of: list))
        if let known = discussion.rows, known.source == source { return known }
        return CommentRows(list, source: source)
    }

    /// What is said below the comments.
    func tail(of list: CommentList) -> String {
        let isEmpty = list.entries.isEmpty
        if let failure = list.failure {
            let advice = isEmpty ? "reopen this sheet to retry" : "scroll down to retry"
            return "Couldn't load \(isEmpty ? "the" : "more") comments: \(failure); \(advice)."
        }
        if list.request != nil, isEmpty || list.request != .first {
            return (isEmpty ? "Loading comments" : "Loading more") + (options.isASCII ? "..." : "…")
        }
        guard isEmpty else { return "" }
        if (titleCount ?? 0) > 0 { return "This feed doesn't share its comments." }
        let key = acceptsComments ? keyLabel(of: .choose) : nil
        let reach = keepsComments ? ", for you only" : ""
        return "No comments yet." + (key.map { " \($0) adds the first comment\(reach)." } ?? "")
    }

    /// How many comments the sheet's title says there are; nil if unknown. A failure to load them is not 0.
    var titleCount: Int? {
        guard let count = content.flatMap({ discussion.count(of: $0.item) }) else { return nil }
        return count == 0 && commentList.failure != nil ? nil : count
    }

    /// The same in words: "45", or "12 of 45" where the feed sends only some of them.
    var titleCountWords: String? {
        let list = commentList
        guard let count = titleCount else { return nil }
        guard list.isAtEnd, list.listed < count else { return Label.count(count) }
        return "\(Label.count(list.listed)) of \(Label.count(count))"
    }

    /// The number of the chosen comment.
    var chosenComment: Int {
        discussion.chosen.flatMap { id in commentList.entries.firstIndex { $0.id == id } } ?? 0
    }

    /// What the keys of the sheet do. Enter edits a refused comment, and writes a new one on any other.
    var commentHints: [(action: Action, word: String)] {
        let entries = commentList.entries
        let comment = entries.indices.contains(chosenComment) ? entries[chosenComment].comment : nil
        var acts: [(action: Action, word: String)] = []
        if let comment {
            if acceptsComments, case .refused = comment.state { return Self.hints(act: [(.choose, "edit")]) }
            if acceptsComments, comment.state == .sent { acts.append((.reply, "reply")) }
            if canDelete(comment) { acts.append((.deleteComment, "delete")) }
            if canReport(comment) { acts.append((.reportComment, "report")) }
            if canLike(comment) { acts.append((.likeComment, comment.isLiked ? "unlike" : "like")) }
        }
        return Self.hints(act: acts, other: acceptsComments ? [(.choose, "comment")] : [])
    }

    /// "Mira Okafor · you · 3m ago · ♥ 5", without the time if `now` is not given. The heart of a comment that can be
    /// liked is a link with the comment's number.
    func commentHead(
        _ entry: CommentList.Entry, number: Int, indent: Int, columns: Int, now: Duration?
    ) -> [SheetRow.Span] {
        let dot = options.isASCII ? " - " : " · "
        let ellipsis = options.isASCII ? "..." : "…"
        var words: [String] = []
        let comment = entry.comment
        if comment.isOwn, comment.name != nil { words.append("you") }
        switch comment.state {
        case .sent:
            if let age = now.flatMap({ age(of: comment.at, now: $0) }) { words.append(RelativeTime(age: age).label) }
        case .sending: words.append("sending" + ellipsis)
        // Its last lines say why it was not sent.
        case .refused: break
        }
        let rest = GlyphLine(words.map { dot + $0 }.joined())
        let likes = likesWords(of: comment, isChosen: number == chosenComment).map { GlyphLine($0) } ?? GlyphLine()
        let gap = likes.isEmpty ? GlyphLine() : GlyphLine(dot)
        let name = GlyphLine(comment.name ?? (comment.isOwn ? "you" : "anonymous"))
            .truncated(
                to: max(columns - indent - rest.columns - gap.columns - likes.columns, 4),
                ellipsis: Glyph(options.isASCII ? "~" : "…"))
        var spans = [
            SheetRow.Span(column: indent, line: name, tone: .heading),
            SheetRow.Span(column: indent + name.columns, line: rest + gap, tone: .dim),
        ]
        if !likes.isEmpty {
            spans.append(
                SheetRow.Span(
                    column: indent + name.columns + rest.columns + gap.columns, line: likes,
                    tone: comment.isLiked ? .text : .dim, link: canLike(comment) ? number : nil))
        }
        return spans
    }

    /// "♥ 5", hollow unless the user likes the comment; nil if no one does and it is not the chosen one.
    private func likesWords(of comment: Comment, isChosen: Bool) -> String? {
        let count = max(comment.likes ?? 0, 0)
        guard count > 0 || comment.isLiked || isChosen && canLike(comment) else { return nil }
        let mark = options.isASCII ? (comment.isLiked ? "liked" : "likes") : comment.isLiked ? "♥" : "♡"
        return count > 0 || options.isASCII ? "\(mark) \(Label.count(count))" : mark
    }

    /// When the age of a comment in view next changes.
    func nextCommentAge(after now: Duration) -> Duration? {
        guard view.sheet == .comments else { return nil }
        let layout = SheetLayout(self)
        let rows = commentRows(columns: layout.body.columns)
        let entries = commentList.entries
        let shown = Set((layout.first..<min(layout.first + layout.body.rows, rows.count)).compactMap(rows.block(at:)))
        return shown.compactMap { age(of: entries[$0].comment.at, now: now) }
            .map { now + RelativeTime(age: $0).nextChange }.min()
    }

    // MARK: Choosing

    /// Goes to another comment; within one that is longer than the sheet by rows.
    ///
    /// - Parameter pages: by all rows that are in view but one.
    mutating func scrollComments(by count: Int, pages: Bool) -> [Effect] {
        let layout = SheetLayout(self)
        let rows = commentRows(columns: layout.body.columns)
        guard let item = currentID, !rows.blocks.isEmpty else { return [] }
        let (height, last) = (layout.body.rows, max(layout.total - layout.body.rows, 0))
        let (first, chosen) = rows.moved(
            by: count, pages: pages, from: (layout.first, chosenComment), height: height, last: last)
        choose(chosen, of: rows, first: first)
        // At the end of what could be loaded, more is asked for again.
        guard count > 0, chosen == rows.blocks.count - 1, commentList.failure != nil,
            let next = discussion[item].askForMore()
        else { return [] }
        return [.loadComments(item, after: next)]
    }

    private mutating func choose(_ number: Int, of rows: CommentRows, first: Int) {
        let entries = commentList.entries
        guard entries.indices.contains(number), rows.blocks.indices.contains(number) else { return }
        discussion.chosen = entries[number].id
        discussion.lead = rows.blocks[number].first - first
    }

    mutating func chooseComment(_ number: Int, in layout: SheetLayout) {
        choose(number, of: commentRows(columns: layout.body.columns), first: layout.first)
    }

    // MARK: Writing

    /// Enter in the sheet opens the field for a new comment, or reopens a refused one for editing.
    mutating func chooseComment(now: Duration) -> [Effect] {
        let entries = commentList.entries
        if acceptsComments, entries.indices.contains(chosenComment), let item = currentID {
            let comment = entries[chosenComment].comment
            if case .refused = comment.state {
                discussion[item].remove(comment.id)
                return openField(TextField(comment.text, keepsLines: true), parent: comment.parent, now: now)
            }
        }
        return openMessage(now: now)
    }

    /// Opens the field with the item's draft.
    mutating func openMessage(now: Duration) -> [Effect] {
        guard mayWrite(now: now), let item = currentID else { return [] }
        let draft = discussion.draft(of: item)
        return openField(draft?.field ?? TextField(keepsLines: true), parent: draft?.parent, now: now)
    }

    /// Opens the field for an answer to the chosen comment.
    mutating func reply(now: Duration) -> [Effect] {
        let entries = commentList.entries
        guard let item = currentID, entries.indices.contains(chosenComment), mayWrite(now: now) else { return [] }
        let comment = entries[chosenComment].comment
        guard comment.state == .sent else {
            toasts.show("This comment is not sent yet", as: .failure, now: now)
            return []
        }
        return openField(
            discussion.draft(of: item)?.field ?? TextField(keepsLines: true), parent: comment.id, now: now)
    }

    private mutating func mayWrite(now: Duration) -> Bool {
        guard !acceptsComments else { return true }
        toasts.show("This feed does not accept comments", as: .failure, sheet: .comments, now: now)
        discussion.refuseText(now: now)
        return false
    }

    private mutating func openField(_ field: TextField, parent: String?, now: Duration) -> [Effect] {
        guard let item = currentID else { return [] }
        var effects = letGo(now: now) + commitScrub(now: now)
        guard item == currentID else { return effects }
        if view.sheet != .comments { view.close() }
        let played = !isPaused
        view.showOverlay()
        typing = Typing(.message(item, parent: parent), in: field)
        typing?.field.moveToEnd()
        guard played else { return effects }
        freeze(now: now)
        effects.append(.pause(item))
        return effects
    }

    /// "Reply to Mira Okafor".
    var messageTitle: String {
        guard case .message(let item, let parent?) = typing?.purpose else {
            return keepsComments ? "Comment, for you only" : "Comment"
        }
        let name = discussion[item][parent]?.name
        return name.map { "Reply to \($0)" } ?? "Reply"
    }

    mutating func sendMessage(now: Duration) -> [Effect] {
        guard let typing, case .message(let item, let parent) = typing.purpose else { return [] }
        let text = typing.field.text.withoutOuterWhitespace
        guard !text.isEmpty else { return [] }
        guard Comment.isVisible(text) else {
            toasts.show("This comment has no visible text", as: .failure, now: now)
            return []
        }
        let id = discussion.makeID()
        let at = wallClock.addingTimeInterval(now.seconds)
        discussion[item].add(
            Comment(id: id, text: text, at: at, parent: parent, isOwn: true, state: .sending))
        discussion.count(1, of: item)
        self.typing = nil
        discussion.dropDraft(of: item)
        (discussion.chosen, discussion.lead) = (id, 0)
        send(.comments, of: item, now: now)
        let play = isPaused ? [] : onCurrent { .play($0) }
        return play + [.sendComment(item, local: id, text: text, parent: parent)]
    }

    // MARK: What the service says

    mutating func receive(_ page: CommentPage, after cursor: String?, of item: Item.ID) {
        discussion[item].receive(page, after: cursor)
    }

    mutating func confirm(_ local: String, of item: Item.ID, as comment: Comment, now: Duration) {
        guard discussion[item].confirm(local, as: comment) else { return }
        if discussion.chosen == local { discussion.chosen = comment.id }
        guard view.sheet != .comments || options.isPlain else { return }
        toasts.show(keepsComments ? "Comment saved" : "Comment sent", now: now)
    }

    mutating func refuse(_ local: String, of item: Item.ID, why: String, now: Duration) {
        guard discussion[item].refuse(local, why: why) else { return }
        discussion.count(-1, of: item)
        guard view.sheet != .comments || item != currentID || options.isPlain else { return }
        // The key first: a small terminal may have no room for the reason.
        let key = keyLabel(of: .comments).map { " (\($0) shows it)" } ?? ""
        toasts.show(
            "Comment not sent\(key): \(CleanText.line(why, limit: 200))", as: .failure,
            sheet: item == currentID ? .comments : nil, now: now)
    }
}

extension String {
    /// Without blanks and line breaks at both ends.
    fileprivate var withoutOuterWhitespace: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
