import Model

/// Deleting, liking and reporting comments that are there.
extension State {
    /// Whether the current item's service can do this.
    func can(_ ability: ServiceAbility) -> Bool { feed.takesComments && feed.abilities.contains(ability) }

    private func entry(at number: Int) -> (item: Item, comment: Comment)? {
        let entries = commentList.entries
        guard let item = content?.item, entries.indices.contains(number) else { return nil }
        return (item, entries[number].comment)
    }

    // MARK: Deleting

    /// Whether a comment can be deleted: one of the user's own that no server has, or whose server deletes it.
    func canDelete(_ comment: Comment) -> Bool {
        comment.isOwn && comment.state == .sent && (keepsComments || can(.deleteComment))
    }

    /// Deletes the chosen comment. The one after it, or before it, is chosen then.
    mutating func deleteComment(now: Duration) -> [Effect] {
        let (entries, number) = (commentList.entries, chosenComment)
        guard let (item, comment) = entry(at: number), canDelete(comment) else {
            let isLacking = entry(at: number)?.comment.isOwn == true && !keepsComments
            toasts.show(
                isLacking ? "This server cannot delete comments" : "Only your own comments can be deleted",
                as: .failure, now: now)
            return []
        }
        let next = entries.indices.contains(number + 1) ? number + 1 : number - 1
        discussion.chosen = entries.indices.contains(next) ? entries[next].id : nil
        discussion[item.id].delete(comment.id)
        discussion.count(-1, of: item.id)
        feed.note(.deleted(comment, of: item, isKept: keepsComments))
        toasts.show(offering(.undo, "to undo", after: "Comment deleted"), now: now)
        guard !keepsComments else { return [.deleteComment(id: comment.id)] }
        discussion.deleted[comment.id] = comment
        send(.deleteComment, of: item.id, now: now)
        return [.changeComment(item, comment.id, .delete(true))]
    }

    // MARK: Liking

    func canLike(_ comment: Comment) -> Bool { comment.state == .sent && !comment.isDeleted && can(.likeComment) }

    /// Likes a comment, or no longer. Its count changes at once.
    mutating func likeComment(_ number: Int, now: Duration) -> [Effect] {
        guard let (item, comment) = entry(at: number), canLike(comment) else {
            let isThere = entry(at: number).map { $0.comment.state == .sent && !$0.comment.isDeleted } ?? true
            toasts.show(
                isThere ? "Comments cannot be liked here" : "This comment cannot be liked", as: .failure, now: now)
            return []
        }
        let likes = !comment.isLiked
        discussion[item.id].like(comment.id, likes)
        send(.likeComment, of: item.id, now: now)
        return [.changeComment(item, comment.id, .like(likes))]
    }

    // MARK: Reporting

    func canReport(_ comment: Comment) -> Bool {
        comment.state == .sent && !comment.isOwn && !comment.isDeleted && can(.reportComment)
    }

    /// Opens the field for the reason.
    mutating func openReport(now: Duration) -> [Effect] {
        guard let (item, comment) = entry(at: chosenComment), canReport(comment) else {
            let isOwn = entry(at: chosenComment)?.comment.isOwn == true
            toasts.show(
                isOwn ? "This is your own comment" : "Comments cannot be reported here", as: .failure, now: now)
            return []
        }
        typing = Typing(.report(item, comment: comment.id))
        return []
    }

    /// In characters. Services reject longer reasons.
    private static let reasonLimit = 500

    mutating func sendReport(now: Duration) -> [Effect] {
        guard let typing, case .report(let item, let comment) = typing.purpose else { return [] }
        let text = CleanText.line(typing.field.text, limit: 2_000).trimmed
        // A key that was hit by mistake reports nothing.
        guard Comment.isVisible(text) else {
            toasts.show("Write why you report this comment", as: .failure, now: now)
            return []
        }
        let reason = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.reasonLimit)))
        let closed = endTyping(now: now)
        toasts.show("Comment reported", now: now)
        send(.reportComment, of: item.id, now: now)
        return closed + [.changeComment(item, comment, .report(reason: reason))]
    }

    // MARK: The service refused it

    mutating func takeBack(_ act: CommentAct, of comment: String, on item: Item.ID, why: String, now: Duration) {
        let what: String
        switch act {
        case .delete(true):
            what = "Comment not deleted"
            if let deleted = discussion.deleted.removeValue(forKey: comment) {
                discussion[item].restore(deleted)
                discussion.count(1, of: item)
            }
            feed.forgetChanges { if case .deleted(let deleted, _, _) = $0 { deleted.id == comment } else { false } }
        case .delete(false):
            what = "Comment not restored"
            discussion[item].delete(comment)
            discussion.count(-1, of: item)
        case .like(let likes):
            what = likes ? "Comment not liked" : "Comment still liked"
            discussion[item].like(comment, !likes)
        case .report: what = "Comment not reported"
        }
        toasts.show("\(what): \(CleanText.line(why, limit: 200))", as: .failure, now: now)
    }
}
