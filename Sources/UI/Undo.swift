import Model

/// Something that the user removed or hid, which one key takes back. A value.
enum UserChange: Sendable, Equatable {
    /// Something is hidden, and the clip it was hidden at; nil for a place.
    case hid(HideRule, at: Item.ID?)
    case removed(PlaceList.Source)
    /// `isKept`: no server has the comment.
    case deleted(Comment, of: Item, isKept: Bool)
    case deletedItem(Item)
}

extension State {
    /// Takes the last change back, and then the one before it.
    mutating func undo(now: Duration) -> [Effect] {
        guard let change = feed.takeLastChange() else {
            toasts.show("Nothing to undo", now: now)
            return []
        }
        switch change {
        case .hid(let rule, let item): return show(rule, returningTo: item, now: now)
        case .removed(let source): return [.source(.restore(source))]
        case .deleted(let comment, let item, let isKept):
            discussion[item.id].restore(comment)
            discussion.count(1, of: item.id)
            (discussion.chosen, discussion.lead) = (comment.id, 0)
            toasts.show("Comment restored", now: now)
            guard !isKept else { return [.restoreComment(item.id, comment)] }
            // It is there again, even if the service refuses the deletion now.
            discussion.deleted[comment.id] = nil
            send(.deleteComment, of: item.id, now: now)
            return [.changeComment(item, comment.id, .delete(false))]
        case .deletedItem(let item):
            feed.hidden.returning = item.id
            toasts.show("Clip restored", now: now)
            send(.deleteItem, of: item.id, now: now)
            return [.deleteItem(item, false)]
        }
    }
}

/// Deleting items of the user's own.
extension State {
    /// Whether the current item is the user's own, and its service deletes it.
    var canDeleteItem: Bool { content?.item.own == true && can(.deleteItem) }

    /// Deletes the current item from its service.
    mutating func deleteItem(now: Duration) -> [Effect] {
        guard let item = content?.item, canDeleteItem else {
            toasts.show("Only your own clips can be deleted, where their server allows it", as: .failure, now: now)
            return []
        }
        view.close()
        feed.hidden.returning = nil
        feed.note(.deletedItem(item))
        toasts.show(offering(.undo, "to undo", after: "Clip deleted from its server"), now: now)
        send(.deleteItem, of: item.id, now: now)
        return [.deleteItem(item, true)]
    }

    mutating func takeBack(deletion deletes: Bool, of item: Item.ID, why: String, now: Duration) -> [Effect] {
        let what = deletes ? "Clip not deleted" : "Clip not restored"
        if deletes {
            feed.hidden.returning = item
            feed.forgetChanges { if case .deletedItem(let deleted) = $0 { deleted.id == item } else { false } }
        }
        toasts.show("\(what): \(CleanText.line(why, limit: 200))", as: .failure, now: now)
        return [.showDeleted(item, deletes)]
    }
}
