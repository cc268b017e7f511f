import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The comments of an item that have loaded, in display order. A value.
struct CommentList: Sendable, Equatable {
    /// The most comments that are kept; no more pages are asked for then.
    static let limit = 5_000
    /// How deep answers are indented.
    static let deepest = 3

    /// A comment in its place, clean. A value.
    struct Entry: Sendable, Equatable, Identifiable {
        var comment: Comment
        /// 0 for what answers nothing, 1 for an answer, and so on up to `deepest`.
        var depth: Int
        var id: String { comment.id }
    }

    enum Request: Sendable, Equatable { case first, after(String) }

    private(set) var entries: [Entry] = []
    private(set) var total: Int?
    /// What is being loaded.
    private(set) var request: Request?
    private(set) var next: String?
    /// The first page has come.
    private(set) var isKnown = false
    /// Why the last page could not be loaded, clean.
    private(set) var failure: String?
    /// How many of `entries` are comments: not the places that deleted ones keep for their answers.
    private(set) var listed = 0
    /// Goes up with every change of `entries`.
    private(set) var revision = 0
    /// The comments that the user has deleted here: a page that was read before its service knew has them still.
    private var deleted: Set<String> = []
    /// Those that the service has taken since the first page was asked for, which may have been read before.
    private var taken: Set<String> = []
    /// In the order in which they came: the newest first, and own new ones before them.
    private var comments: [Comment] = []

    /// Whether no more comments can be loaded.
    var isAtEnd: Bool { isKnown && (next == nil || comments.count >= Self.limit) }

    subscript(id: String) -> Comment? { comments.first { $0.id == id } }

    // MARK: Pages

    /// Asks for the first page, also if it is known already: it may have changed. Returns false if it is on its way.
    mutating func askAgain() -> Bool {
        guard request != .first else { return false }
        request = .first
        failure = nil
        taken = []
        return true
    }

    /// Requests the next page. Returns the cursor to pass on; nil after the last page, or while a request runs.
    mutating func askForMore() -> String? {
        guard request == nil, let next, comments.count < Self.limit else { return nil }
        request = .after(next)
        failure = nil
        return next
    }

    /// Takes a page that was asked for; ignores any other.
    mutating func receive(_ page: CommentPage, after cursor: String?) {
        guard request == (cursor.map(Request.after) ?? .first) else { return }
        request = nil
        if cursor == nil {
            // Those on their way, and refused ones, are known here only.
            comments.removeAll { $0.state == .sent && !taken.contains($0.id) }
            isKnown = true
            total = nil
        }
        let stale = page.comments.count { deleted.contains($0.id) && !$0.isDeleted }
        let unread = cursor == nil ? taken.subtracting(page.comments.map(\.id)).count : 0
        total = page.total.map { max($0 - stale, 0) + unread } ?? total
        let before = comments.count
        var places = Dictionary(comments.indices.map { (comments[$0].id, $0) }, uniquingKeysWith: { first, _ in first })
        for comment in page.comments.prefix(Self.limit) {
            guard comment.isDeleted || !deleted.contains(comment.id) else { continue }
            var comment = Self.clean(comment)
            comment.state = .sent
            if let place = places[comment.id] {
                // No id of a service's takes the place of what is only known here.
                if comments[place].state == .sent { comments[place] = comment }
            } else if comments.count < Self.limit {
                places[comment.id] = comments.count
                comments.append(comment)
            }
        }
        // A service that goes in circles has no end of pages.
        next = comments.count == before && cursor != nil ? nil : page.next
        arrange()
    }

    mutating func fail(_ why: String) {
        guard request != nil else { return }
        request = nil
        failure = CleanText.line(why, limit: 300)
    }

    // MARK: The user's own

    mutating func add(_ comment: Comment) {
        if comment.state == .sent { total = total.map { $0 + 1 } }
        comments.insert(Self.clean(comment), at: 0)
        arrange()
    }

    /// The service has taken a comment, and calls it so from now on. Returns false if nothing is known of it.
    mutating func confirm(_ local: String, as sent: Comment) -> Bool {
        guard let place = comments.firstIndex(where: { $0.id == local && $0.state == .sending }) else { return false }
        var sent = Self.clean(sent)
        (sent.isOwn, sent.state) = (true, .sent)
        sent.parent = sent.parent ?? comments[place].parent
        comments[place] = sent
        // It may have come with a page already.
        comments = comments.enumerated().filter { $0.offset == place || $0.element.id != sent.id }.map(\.element)
        if request == .first { taken.insert(sent.id) }
        total = total.map { $0 + 1 }
        arrange()
        return true
    }

    mutating func refuse(_ local: String, why: String) -> Bool {
        guard let place = comments.firstIndex(where: { $0.id == local && $0.state == .sending }) else { return false }
        comments[place].state = .refused(why: CleanText.line(why, limit: 300))
        arrange()
        return true
    }

    /// Removes a refused comment whose text the user edits again, or one that the user deletes.
    mutating func remove(_ id: String) {
        if self[id]?.state == .sent { total = total.map { max($0 - 1, 0) } }
        comments.removeAll { $0.id == id }
        taken.remove(id)
        arrange()
    }

    // MARK: Changes of sent comments

    /// Removes a comment of the user's; if it has answers, it keeps its place without its text.
    mutating func delete(_ id: String) {
        guard let place = comments.firstIndex(where: { $0.id == id && $0.state == .sent }) else { return }
        deleted.insert(id)
        guard comments.contains(where: { $0.parent == id }) else { return remove(id) }
        comments[place].text = "Deleted comment"
        (comments[place].name, comments[place].isOwn, comments[place].isDeleted) = (nil, false, true)
        total = total.map { max($0 - 1, 0) }
        arrange()
    }

    /// Puts a deleted comment back in its place.
    mutating func restore(_ comment: Comment) {
        deleted.remove(comment.id)
        if let place = comments.firstIndex(where: { $0.id == comment.id }) {
            guard comments[place].isDeleted else { return }
            comments[place] = comment
        } else {
            let place = comments.firstIndex { $0.parent == nil && $0.at <= comment.at }
            comments.insert(comment, at: place ?? comments.endIndex)
        }
        total = total.map { $0 + 1 }
        arrange()
    }

    /// The user likes a comment, or no longer.
    mutating func like(_ id: String, _ isLiked: Bool) {
        guard let place = comments.firstIndex(where: { $0.id == id && $0.isLiked != isLiked }) else { return }
        let likes = min(max(comments[place].likes ?? 0, 0), .max - 1)
        comments[place].isLiked = isLiked
        comments[place].likes = max(likes + (isLiked ? 1 : -1), 0)
        arrange()
    }

    /// How many like a comment, by its service.
    mutating func setLikes(of id: String, _ likes: Int) {
        guard let place = comments.firstIndex(where: { $0.id == id && $0.likes != likes }) else { return }
        comments[place].likes = likes
        arrange()
    }

    var sendingCount: Int { comments.count { $0.state == .sending } }

    // MARK: Order

    private static func clean(_ comment: Comment) -> Comment {
        var comment = comment
        comment.name = comment.name.map { CleanText.line($0, limit: 80) }.flatMap { $0.isEmpty ? nil : $0 }
        comment.text = CleanText.block(comment.text, limit: 4_000)
        if case .refused(let why) = comment.state { comment.state = .refused(why: CleanText.line(why, limit: 300)) }
        return comment
    }

    /// Puts answers under what they answer, the oldest first. What answers something unknown stands by itself, and so
    /// does the newest of those that answer each other in a circle.
    private mutating func arrange() {
        revision += 1
        let known = Set(comments.map(\.id))
        var answers: [String: [Int]] = [:]
        var roots: [Int] = []
        for (place, comment) in comments.enumerated() {
            if let parent = comment.parent, parent != comment.id, known.contains(parent) {
                answers[parent, default: []].append(place)
            } else {
                roots.append(place)
            }
        }
        for key in answers.keys { answers[key]?.sort { (comments[$0].at, $0) < (comments[$1].at, $1) } }
        entries.removeAll(keepingCapacity: true)
        var isPlaced = [Bool](repeating: false, count: comments.count)
        func place(_ root: Int) {
            // An explicit stack: a hostile service may nest replies as deep as it likes.
            var waiting = [(root, 0)]
            while let (index, depth) = waiting.popLast() {
                guard !isPlaced[index] else { continue }
                isPlaced[index] = true
                entries.append(Entry(comment: comments[index], depth: min(depth, Self.deepest)))
                waiting += (answers[comments[index].id] ?? []).reversed().map { ($0, depth + 1) }
            }
        }
        roots.forEach(place)
        comments.indices.filter { !isPlaced[$0] }.forEach(place)
        listed = entries.count { !$0.comment.isDeleted }
    }
}
