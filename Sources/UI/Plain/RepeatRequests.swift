import Model

/// What the user asked plain mode to print again: each count goes up with every request. A value.
struct RepeatRequests: Sendable, Equatable {
    /// The page, and where its clip is.
    var page = 0
    /// All that is known of the item.
    var caption = 0
    /// The chosen line of a sheet or a list.
    var line = 0
}

extension State {
    /// Moves to another line of a sheet that is printed as lines; a page is ten.
    mutating func scrollPlain(_ sheet: Sheet, by count: Int, pages: Bool) -> [Effect] {
        questions.line += 1
        let step = pages ? 10 * count : count
        guard sheet == .comments else {
            view.scroll(by: step, last: max(plainEntries.count - 1, 0))
            return []
        }
        let entries = commentList.entries
        guard let item = currentID, !entries.isEmpty else { return [] }
        let chosen = min(max(chosenComment + step, 0), entries.count - 1)
        (discussion.chosen, discussion.lead) = (entries[chosen].id, 0)
        // At the end of what could be loaded, more is asked for again.
        guard step > 0, chosen == entries.count - 1, commentList.failure != nil,
            let next = discussion[item].askForMore()
        else { return [] }
        return [.loadComments(item, after: next)]
    }

    /// The open sheet in plain mode: a line for each entry; of a menu, for each choice.
    var plainEntries: [String] {
        let entries = sheetContents?.entries ?? []
        let isMenu = view.sheet?.isMenu == true && entries.contains { $0.isChoice }
        return entries.filter { !isMenu || $0.isChoice }.map(\.plainText)
    }

    /// "3 of 12: Mira Okafor, 3m ago: I was there too".
    func plainComment(_ entry: CommentList.Entry, now: Duration) -> String {
        let comment = entry.comment
        var words = [comment.name ?? (comment.isOwn ? "you" : "anonymous")]
        if comment.isOwn, comment.name != nil { words.append("you") }
        if entry.depth > 0 { words.append("in reply") }
        switch comment.state {
        case .sent: if let age = age(of: comment.at, now: now) { words.append(RelativeTime(age: age).label) }
        case .sending: words.append("sending")
        case .refused(let why): words.append("not sent, \(why)")
        }
        if let likes = comment.likes, likes > 0 { words.append(likes == 1 ? "1 like" : "\(Label.count(likes)) likes") }
        if comment.isLiked { words.append("liked by you") }
        return "\(words.joined(separator: ", ")): \(comment.text)"
    }
}

extension SheetEntry {
    /// As a line of plain mode. It is not clean.
    fileprivate var plainText: String {
        switch self {
        case .heading(let text): text
        case .text(let text): text.hasPrefix("- ") ? String(text.dropFirst(2)) : text
        case .pair(let name, let words), .graph(let name, _, let words): "\(name): \(words)"
        case .choice(let text, let key): key.isEmpty ? text : "\(text), \(key)"
        }
    }
}
