/// A feed service's store of its viewers' actions. Every call blocks; any thread may call.
///
/// One contract suite runs on every kind of store (ServiceStoreContract in the tests).
protocol ServiceStore: Sendable {
    /// Saves all of `writes`, in one transaction, and returns their outcomes; or saves none of them and throws. Once it
    /// has returned, the writes outlive a crash of this process.
    func apply(_ writes: [ServiceWrite]) throws(ServiceError) -> [WriteOutcome]

    /// How often each of these items was liked and so on. Items of which nothing is known are missing.
    func tallies(of items: [String]) throws(ServiceError) -> [String: Tally]

    /// The newest top-level comments of an item, with their replies.
    ///
    /// - Parameters:
    ///   - before: only those that were received before this one.
    ///   - viewer: whose likes `StoredComment.isLiked` is about.
    func comments(
        of item: String, before: Int64?, limit: Int, viewer: String
    ) throws(ServiceError) -> StoredComments

    /// The reports of comments that are there, the newest first.
    func reports(limit: Int) throws(ServiceError) -> [StoredReport]

    /// What is known of an item that was deleted once; nil if it never was.
    func removal(of item: String) throws(ServiceError) -> ItemRemoval?

    /// The sum of all tallies.
    func total() throws(ServiceError) -> Tally

    /// The viewers' watching since then, in seconds since 1970. Reads every visit: a second for some hundred thousands.
    func watched(since: Double) throws(ServiceError) -> WatchSums
}

/// Why the store failed. A value.
struct ServiceError: Error, Equatable, CustomStringConvertible {
    var why: String

    var description: String { why }
}

/// One thing to keep. Times are seconds since 1970. A value.
enum ServiceWrite: Sendable, Equatable {
    /// A view, an engagement or a share. Each `id` counts once for a kind.
    case event(ServiceEvent)
    /// A reaction of a viewer begins or ends. One that is older than what is known of it changes nothing.
    case reaction(ServiceReaction, item: String, viewer: String, isOn: Bool, at: Double)
    case follow(creator: String, viewer: String, isOn: Bool, at: Double)
    case comment(Remark, event: String)
    case change(CommentChange)
    /// An item is deleted, or is back.
    case removal(ItemRemoval)
}

/// The outcome of a write.
enum WriteOutcome: Sendable, Equatable {
    case done
    /// Something with that event id is there already; nothing has changed.
    case repeated
    case comment(StoredComment, isNew: Bool)
    /// The comment to reply to is not there.
    case noParent
    /// A comment was liked, or no longer: how many like it now.
    case likes(Int)
    case refused(CommentRefusal)
}

enum ServiceReaction: String, Sendable, CaseIterable {
    case like, dislike, save

    /// The reaction that this one ends when it begins.
    var opposite: ServiceReaction? {
        switch self {
        case .like: .dislike
        case .dislike: .like
        case .save: nil
        }
    }
}

struct ServiceEvent: Sendable, Equatable {
    enum Kind: String, Sendable { case view, engagement, share }

    var kind: Kind
    var id: String
    var item: String
    var viewer: String
    var session: String
    var at: Double
    var received: Double
    /// The client's clock is over an hour off.
    var isClockOff: Bool
    /// The other fields that the client sent, as JSON.
    var detail: String
}

/// A viewer's comment on an item. A value.
struct Remark: Sendable, Equatable {
    var item: String
    var viewer: String
    var name: String?
    var text: String
    var at: Double
    var isClockOff: Bool
    /// The comment that this one answers. In what the store returns, that is a top-level one.
    var parent: Int64?
}

struct StoredComment: Sendable, Equatable {
    /// Rises with the time of receipt.
    var number: Int64
    var remark: Remark
    var likes = 0
    /// Whether the viewer who reads it likes it.
    var isLiked = false
    /// It is listed for the sake of its replies.
    var isDeleted = false
}

struct StoredComments: Sendable, Equatable {
    /// Newest first.
    var threads: [(comment: StoredComment, replies: [StoredComment])]
    /// The `before` of the next page; nil on the last one.
    var next: Int64?
    /// Replies included, of the item as a whole.
    var total: Int

    /// The most replies that are listed of a comment.
    static let replyLimit = 100

    static func == (left: StoredComments, right: StoredComments) -> Bool {
        left.next == right.next && left.total == right.total && left.threads.count == right.threads.count
            && zip(left.threads, right.threads).allSatisfy { $0.comment == $1.comment && $0.replies == $1.replies }
    }
}

struct Tally: Sendable, Equatable {
    var likes = 0
    var dislikes = 0
    var saves = 0
    var comments = 0
    var shares = 0
    var views = 0
}
