import Model

/// What the user removed or hid last, which one key takes back. A value.
enum LastChange: Sendable, Equatable {
    /// Something is hidden, and the clip it was hidden at.
    case hid(HideRule, at: Item.ID)
    case removed(PlaceList.Source)
    case deleted(Comment, of: Item.ID)
}

extension State {
    /// Takes the last change back, once.
    mutating func undo(now: Duration) -> [Effect] {
        guard let change = feed.lastChange else {
            toasts.show("Nothing to undo", now: now)
            return []
        }
        feed.lastChange = nil
        switch change {
        case .hid(let rule, let item): return show(rule, returningTo: item, now: now)
        case .removed(let source): return [.source(.restore(source))]
        case .deleted(let comment, let item):
            discussion[item].add(comment)
            discussion.count(1, of: item)
            (discussion.chosen, discussion.lead) = (comment.id, 0)
            toasts.show("Comment restored", now: now)
            return [.restoreComment(item, comment)]
        }
    }

    /// Whether a comment can be deleted: one of the user's own that no server has.
    func canDelete(_ comment: Comment) -> Bool { keepsComments && comment.isOwn && comment.state == .sent }

    /// Deletes the chosen comment. The one after it, or before it, is chosen then.
    mutating func deleteComment(now: Duration) -> [Effect] {
        let (entries, number) = (commentList.entries, chosenComment)
        guard let item = currentID, entries.indices.contains(number), canDelete(entries[number].comment) else {
            toasts.show("Only comments that are for you only can be deleted", as: .failure, now: now)
            return []
        }
        let comment = entries[number].comment
        let next = entries.indices.contains(number + 1) ? number + 1 : number - 1
        discussion.chosen = entries.indices.contains(next) ? entries[next].id : nil
        discussion[item].remove(comment.id)
        discussion.count(-1, of: item)
        feed.lastChange = .deleted(comment, of: item)
        toasts.show(offering(.undo, "to undo", after: "Comment deleted"), now: now)
        return [.deleteComment(id: comment.id)]
    }
}
