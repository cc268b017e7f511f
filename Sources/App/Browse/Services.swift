import Engagement
import Feeds
import HTTP
import Model
import Platform
import Synchronization
import Threads
import UI

/// The services that feeds declare: sends them reports, and handles what they reject. Any thread.
final class Services: Sendable {
    let sender: MessageSender
    private let sending: ServiceClient
    private let inbox: Inbox<LoopMessage>

    /// What was done last is sent when flick ends, if that takes no longer.
    private static let lastMoment = Duration.milliseconds(700)

    init(_ network: NetworkOptions, inbox: Inbox<LoopMessage>, journal: Journal, comments: CommentSession) {
        let sending = ServiceClient(network)
        let hasWarned = Atomic(false)
        let hasRecorded = Atomic(false)
        self.sending = sending
        self.inbox = inbox
        sender = MessageSender(now: { WallClock.now }) {
            sending.send($0)
        } settled: { queued, outcome, undone in
            let item = queued.item.id
            if let action = queued.message.act?.action {
                inbox.post(.event(outcome.isFinal ? .delivered(item, action) : .undelivered(item, action)))
            }
            switch outcome {
            case .accepted(let body) where queued.message.act == .comments:
                comments.settle(queued.message.id, .success(ServiceAnswer.comment(body)))
            case .accepted(let body) where queued.message.act == .commentLike:
                guard let comment = queued.message.comment, let likes = ServiceAnswer.likes(body) else { break }
                inbox.post(.event(.commentLikes(item, comment, likes)))
            case .refused(let why) where queued.message.act == .comments:
                comments.settle(queued.message.id, .failure(AppError(why)))
            case .refused(let why):
                journal.record(.error(what: "service", why: why))
                // If something else was decided since, there is nothing to undo.
                if let undone { inbox.post(.event(undone.event(of: item, why: why))) }
            // Each once: a login page answers every message. The user did not ask for views to be sent.
            case .unconfirmed(let why, _):
                if let act = queued.message.act {
                    guard !hasWarned.exchange(true, ordering: .relaxed) else { break }
                    let text = "\(act.noun) not sent yet; flick will retry: \(why)"
                    inbox.post(.event(journal.complaint(of: "service", text, as: .remark)))
                } else if !hasRecorded.exchange(true, ordering: .relaxed) {
                    journal.record(.error(what: "service", why: "view not sent yet; flick will retry: \(why)"))
                }
            case .accepted, .unreachable, .failed: break
            }
        }
    }

    /// Reads a page of the comments of an item on a separate thread, and posts it.
    ///
    /// - Parameters:
    ///   - feed: the absolute URL of the feed that declares `endpoint`.
    ///   - next: what the page before it named; nil: the first page.
    func loadComments(of item: Item.ID, at endpoint: String, feed: String, after next: String?) {
        BlockingThread.start { [self] in
            do throws(AppError) {
                let page = try comments(of: item, at: endpoint, feed: feed, after: next)
                inbox.post(.event(.comments(item, after: next, page)))
            } catch {
                inbox.post(.event(.commentsUnavailable(item, why: "\(error)")))
            }
        }
    }

    private func comments(
        of item: Item.ID, at endpoint: String, feed: String, after next: String?
    ) throws(AppError) -> CommentPage {
        let first = ServiceClient.url(endpoint, "videos/\(PercentEncoding.component(item))/comments")
        let url = next ?? first
        // Requests name the viewer, so they go to the service only.
        guard let origin = RemoteURL(url)?.origin, origin == RemoteURL(endpoint)?.origin else {
            throw AppError("the server moved comments elsewhere")
        }
        let body = try sending.read(url, feed: feed, viewer: sender.viewer(at: endpoint))
        guard var page = ServiceAnswer.comments(body) else {
            throw AppError("unexpected response from the server")
        }
        page.next = page.next.flatMap { URLParts.resolve($0, against: url) }
        return page
    }

    /// Blocks for a moment, if there is something to send.
    ///
    /// - Parameter drains: false if the store cannot be read now: there is nothing to wait for.
    func close(drains: Bool = true) {
        if drains { sender.drain(within: Self.lastMoment) }
        sending.close()
        sender.close(within: .milliseconds(200))
    }
}

extension ServiceMessage.Act {
    /// What a notice calls it.
    fileprivate var noun: String {
        switch self {
        case .like: "like"
        case .dislike: "dislike"
        case .save: "save"
        case .share: "share"
        case .follow: "follow"
        case .comments: "comment"
        case .deletion: "deletion of a clip"
        case .comment: "deletion of a comment"
        case .commentLike: "like of a comment"
        case .report: "report"
        }
    }

    /// The action of the page that does it.
    var action: Action {
        switch self {
        case .like: .like
        case .dislike: .dislike
        case .save: .save
        case .share: .copyLink
        case .follow: .follow
        case .comments: .comments
        case .deletion: .deleteItem
        case .comment: .deleteComment
        case .commentLike: .likeComment
        case .report: .reportComment
        }
    }
}

extension Rollback {
    /// The event that restores the page to this.
    fileprivate func event(of item: Item.ID, why: String) -> Event {
        switch self {
        case .reaction(let before): .reactionRefused(item, before, why: why)
        case .follow(let creator, let before): .followRefused(creator.id, before, why: why)
        case .comment(let id, let act): .commentChangeRefused(item, id, act, why: why)
        case .deletion(let deletes): .deletionRefused(item, deletes, why: why)
        }
    }
}
