import Engagement
import Model
import Synchronization
import Threads

/// Reads what flick remembers, for places. Without a library that can be read, nothing is remembered; the recorder
/// reports one that is broken. A value.
struct LibraryReader: Sendable {
    /// The library's file; nil if flick remembers nothing.
    let path: String?
    /// Which private hosts remembered items may lead to.
    let privateHosts: URLAccessPolicy.PrivateHosts
    /// How long another program may keep the file locked; nil: 5 s.
    var lockLimit: Duration?
    /// What brief lookups run in; nil: they take as long as others.
    var lookups: BriefLookup?

    /// nil if nothing can be read. Blocks.
    func read<Value>(_ body: (Store) throws(StoreError) -> Value) -> Value? {
        do throws(AppError) { return try readUnlocked(body) } catch { return nil }
    }

    /// The same, but throws if another program keeps the file locked. Blocks.
    func readUnlocked<Value>(_ body: (Store) throws(StoreError) -> Value) throws(AppError) -> Value? {
        guard let path, Store.exists(at: path) else { return nil }
        do throws(StoreError) {
            return try body(try Store(reading: path, lockLimit: lockLimit))
        } catch {
            guard error == .busy else { return nil }
            throw AppError(library: error)
        }
    }

    /// nil if nothing can be read, or not in time: `body` then ends later, on its own thread. Blocks.
    @discardableResult
    func readBriefly<Value: Sendable>(
        within limit: Duration = BriefLookup.limit, _ body: @escaping @Sendable (Store) throws(StoreError) -> Value
    ) -> Value? {
        guard let lookups, path != nil else { return read(body) }
        return lookups.run(within: limit) { read(body) } ?? nil
    }
}

/// Lookups in flick's history before the first picture, which wait neither for the disk nor for a program that keeps
/// the file locked. Any thread that may block.
final class BriefLookup: Sendable {
    static let limit = Duration.milliseconds(200)
    /// While this many late lookups have not ended, the file cannot be read, and others would only wait as well.
    private static let maxLate = 2

    private struct Answer<Value> {
        var value: Value?
        var isLate = false
    }

    private let late = Mutex(0)

    /// How many late lookups have not ended.
    var lateLookups: Int { late.withLock(\.self) }

    /// What `body` returns; nil if that takes longer than `limit`. It then ends later, on its own thread. Blocks.
    ///
    /// While an earlier lookup is late, `limit` is the usual one at most; while two are, `body` does not run.
    func run<Value: Sendable>(
        within limit: Duration = BriefLookup.limit, _ body: @escaping @Sendable () -> Value
    ) -> Value? {
        let earlier = lateLookups
        guard earlier < Self.maxLate else { return nil }
        let answer = Monitor(Answer<Value>())
        BlockingThread.start { [self] in
            let value = body()
            let isLate = answer.change { answer in
                answer.value = value
                return answer.isLate
            }
            if isLate { late.withLock { $0 -= 1 } }
        }
        let found = answer.wait(upTo: earlier == 0 ? limit : min(limit, Self.limit)) { $0.value }
        if let found { return found }
        return answer.withLock { answer in
            // It may have ended meanwhile.
            if answer.value == nil {
                answer.isLate = true
                late.withLock { $0 += 1 }
            }
            return answer.value
        }
    }
}
