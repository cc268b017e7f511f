import Bytes
import Feeds
import Model
import Platform
import Synchronization
import Threads
import UI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is said about items: reads it, and sends what the user says. What comes of it comes to the page as events. Any
/// thread.
final class CommentSession: Sendable {
    private let provider: any ByteProvider
    private let inbox: Inbox<LoopMessage>
    private let journal: Journal
    /// By their ids in the store.
    private let underWay = Mutex<[String: SentComment]>([:])

    init(provider: any ByteProvider, inbox: Inbox<LoopMessage>, journal: Journal) {
        (self.provider, self.inbox, self.journal) = (provider, inbox, journal)
    }

    /// Reads a page of what is said about an item: from where the item is of, or else from the feed's own service.
    ///
    /// - Parameter next: what the page before it named; nil: the first page.
    @MainActor
    func load(of item: Item, after next: String?, from library: LibraryLink?) {
        // The feed's own service also has what was said since the item's list was made.
        let list = library?.takesComments(on: item) == true ? nil : ServiceComments(of: item)
        if let library, LibraryLink.keepsComments(on: item), next == nil {
            return library.readOwnComments(on: item) { [self] own in
                let page = CommentPage(comments: own, total: own.count)
                guard let list else { return inbox.post(.event(.comments(item.id, after: nil, page))) }
                read(list, of: item.id, after: nil, own: own)
            }
        }
        guard let list else {
            library?.loadComments(of: item, after: next)
            return
        }
        read(list, of: item.id, after: next, own: [])
    }

    /// Reads a page of a list. The user's own comments, of which the list knows nothing, come first.
    private func read(_ list: ServiceComments, of id: Item.ID, after next: String?, own: [Comment]) {
        let (provider, inbox) = (provider, inbox)
        BlockingThread.start {
            do throws(BytesError) {
                var page = try list.read(after: next, with: provider, cancellation: Cancellation())
                page.comments = own + page.comments
                page.total = page.total.map { $0 + own.count }
                inbox.post(.event(.comments(id, after: next, page)))
            } catch {
                inbox.post(.event(.commentsUnavailable(id, why: error.why)))
            }
        }
    }

    /// Sends a comment on an item, which is known on the page by the id `local`. Returns its id in the store.
    @MainActor @discardableResult
    func send(
        _ text: String, on item: Item, local: String, answering parent: String?, through library: LibraryLink,
        now: Duration
    ) -> String {
        let id = UUID().uuidString
        // Before it is on its way: its service may answer at once.
        underWay.withLock { $0[id] = SentComment(item: item.id, local: local, text: text, parent: parent) }
        library.comment(on: item, id: id, text, parent: parent, now: now)
        return id
    }

    /// Keeps a comment on an item that no server has in the library.
    @MainActor
    func keep(
        _ text: String, on item: Item, local: String, answering parent: String?, in library: LibraryLink, now: Duration
    ) {
        let id = UUID().uuidString
        library.keepComment(on: item, id: id, text, parent: parent, now: now)
        let comment = SentComment(item: item.id, local: local, text: text, parent: parent).comment(id: id)
        inbox.post(.event(.commentSent(item.id, local: local, comment)))
    }

    /// What became of a comment. One of an earlier session is not on the page.
    ///
    /// - Parameter result: as the service has it, if it says so.
    func settle(_ id: String, _ result: Result<Comment?, AppError>) {
        guard let sent = underWay.withLock({ $0.removeValue(forKey: id) }) else { return }
        switch result {
        case .success(let comment):
            inbox.post(.event(.commentSent(sent.item, local: sent.local, comment ?? sent.comment(id: id))))
        case .failure(let error):
            journal.record(.error(what: "comment", why: "\(error)"))
            inbox.post(.event(.commentRefused(sent.item, local: sent.local, why: "\(error)")))
        }
    }
}

/// A comment that its service does not have yet. A value.
struct SentComment {
    var item: Item.ID
    /// Its id on the page.
    var local: String
    var text: String
    var parent: String?

    /// As it was sent, where the service does not say how it has it.
    func comment(id: String) -> Comment {
        Comment(id: id, text: text, at: Date(timeIntervalSince1970: WallClock.now), parent: parent, isOwn: true)
    }
}
