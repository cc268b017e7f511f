import Engagement
import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// What is said about items. Their feed's service has it; what the user says waits in the store until it is there.
extension LibraryLink {
    /// Whether the current feed has a service that shows and takes comments.
    var takesComments: Bool { services != nil && endpoint != nil }

    /// Reads a page of an item's comments, which comes as a message. `next` is
    /// what the page before it named; nil: the first page.
    func loadComments(of item: Item, after next: String?) {
        guard let services, let endpoint = self.endpoint(for: item), let feed = item.feed else {
            return inbox.post(.comments(item.id, after: next, .failure(AppError("this feed has no comments"))))
        }
        services.loadComments(of: item.id, at: endpoint, feed: feed, after: next)
    }

    /// Sends a comment; what becomes of it comes as a message with the id that
    /// is returned. nil: the item's feed takes none.
    func comment(on item: Item, _ text: String, parent: String?, now: Duration) -> String? {
        guard services != nil, endpoint(for: item) != nil else { return nil }
        let comment = OwnComment(id: UUID().uuidString, text: text, parent: parent, name: name, at: wall(now))
        recorder.note([.commented(libraryItem(item), comment)])
        return comment.id
    }
}
