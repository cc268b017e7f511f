import Engagement
import Model

// What is said about items. Their feed's service has it; what the user says waits in the store until it is there.
extension LibraryLink {
    /// Whether the current feed has a service that shows and takes comments.
    var takesComments: Bool { services != nil && endpoint != nil }

    /// Reads a page of an item's comments, which comes as a message. `next` is
    /// what the page before it named; nil: the first page.
    func loadComments(of item: Item, after next: String?) {
        guard let services, let endpoint = self.endpoint(for: item), let feed = item.feed else {
            return inbox.post(.event(.commentsUnavailable(item.id, why: "this feed has no comments")))
        }
        services.loadComments(of: item.id, at: endpoint, feed: feed, after: next)
    }

    /// Whether an item's feed takes comments on it.
    func takesComments(on item: Item) -> Bool { services != nil && endpoint(for: item) != nil }

    /// Sends a comment on an item whose feed takes them.
    ///
    /// - Parameter id: what the service's answer names it by.
    func comment(on item: Item, id: String, _ text: String, parent: String?, now: Duration) {
        let comment = OwnComment(id: id, text: text, parent: parent, name: name, at: wall(now))
        recorder.note([.commented(libraryItem(item), comment)])
    }
}
