import Bytes
import Engagement
import Feeds
import Model
import Threads
import UI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The service behind the feed: what it refuses, and what is said about its items.
extension Browser {
    /// Tells the page whether comments can be had.
    func tellService() { handle(Event.service(takesComments: library?.takesComments ?? false)) }

    /// The service refused what was done to an item.
    func refuse(_ id: Item.ID, _ undone: Rollback?, why: String) {
        journal.record(.error(what: "service", why: why))
        switch undone {
        case .reaction(let reaction): handle(Event.reactionRefused(id, reaction, why: why))
        case .follow(let creator, let follows): handle(Event.followRefused(creator.id, follows, why: why))
        // Something else was decided since, or there was nothing to undo.
        case nil: break
        }
    }

    /// Loads a page of what is said about an item, which comes as a message: from the feed's own service, or from where
    /// the item is of.
    func loadComments(of item: Item, after next: String?) {
        guard let comments = ServiceComments(of: item) else {
            library?.loadComments(of: item, after: next)
            return
        }
        let (provider, inbox, id) = (loader.provider, loader.inbox, item.id)
        let isStarted = BlockingThread.start {
            do throws(BytesError) {
                let page = try comments.read(after: next, with: provider, cancellation: Cancellation())
                inbox.post(.comments(id, after: next, .success(page)))
            } catch {
                inbox.post(.comments(id, after: next, .failure(AppError(error.why))))
            }
        }
        if !isStarted { inbox.post(.comments(id, after: next, .failure(AppError("out of threads")))) }
    }

    /// Sends a comment. Returns the event that it cannot be sent, if that is so.
    func send(comment text: String, on id: Item.ID, local: String, answering parent: String?) -> [Event] {
        guard let item = state.item(id), let library,
            let sent = library.comment(on: item, text, parent: parent, now: clock.now)
        else { return [.commentRefused(id, local: local, why: "this feed has no comments")] }
        commentsUnderWay[sent] = SentComment(item: id, local: local, text: text, parent: parent)
        return []
    }

    /// What became of a comment. One of an earlier session is not on the page.
    func settle(comment id: String, _ result: Result<Comment?, AppError>) {
        guard let sent = commentsUnderWay.removeValue(forKey: id) else { return }
        switch result {
        case .success(let comment):
            let own = comment ?? sent.comment(id: id)
            handle(Event.commentSent(sent.item, local: sent.local, own))
        case .failure(let error):
            journal.record(.error(what: "comment", why: "\(error)"))
            handle(Event.commentRefused(sent.item, local: sent.local, why: "\(error)"))
        }
    }
}

extension ServiceMessage.Act {
    /// The action of the page that does it.
    var action: Action {
        switch self {
        case .like: .like
        case .dislike: .dislike
        case .save: .save
        case .share: .copyLink
        case .follow: .follow
        case .comments: .comments
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
