import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Engagement

@Suite struct LibraryWriterTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }

    /// The lines that a writer reports.
    private final class Reports: Sendable {
        private let all = Mutex<[String]>([])
        var lines: [String] { all.withLock(\.self) }
        func add(_ line: String) { all.withLock { $0.append(line) } }
    }

    private func item(_ id: String) -> LibraryItem {
        LibraryItem(key: ItemKey(scope: "", id: id), url: "file:///\(id)", json: "{}", source: "s")
    }

    private func count() throws -> Int {
        try Store(reading: path).lastSeen(in: "s", limit: 100_000).count
    }

    @Test func notedChangesAreWrittenOnClose() throws {
        let reports = Reports()
        let recorder = LibraryWriter(path: path) { reports.add($0) }
        for number in 0..<1_000 { recorder.note([.seen(item("\(number)"), at: Double(number))]) }
        recorder.close(within: .seconds(20))
        #expect(try count() == 1_000 && reports.lines.isEmpty)
    }

    @Test func readSeesEarlierChanges() async throws {
        let recorder = LibraryWriter(path: path) { _ in }
        let key = item("a").key
        recorder.note([.reacted(item("a"), Reaction(isLiked: true, isDisliked: false, isSaved: false), at: 1)])
        let memories = await withCheckedContinuation { continuation in
            recorder.read({ store throws(StoreError) in try store.memories(of: [key]) }) {
                continuation.resume(returning: $0)
            }
        }
        #expect(memories[key]?.reaction.isLiked == true)
        recorder.close(within: .seconds(20))
    }

    /// A folder in the place of the file cannot be opened, not even by root. Once it is gone, all changes are written.
    @Test func writeErrorIsReportedOnceAndChangesAreWrittenLater() throws {
        let reports = Reports()
        try folder.folder("flick.db")
        let recorder = LibraryWriter(path: path) { reports.add($0) }
        for number in 0..<3 {
            recorder.note([.seen(item("\(number)"), at: 1)])
            recorder.flush(within: .seconds(20))
        }
        #expect(reports.lines.count == 1, "\(reports.lines)")
        #expect(reports.lines.first?.contains(path) == true)
        try FileManager.default.removeItem(atPath: path)
        recorder.note([.seen(item("last"), at: 1)])
        recorder.close(within: .seconds(20))
        #expect(try count() == 4)
    }

    /// Nothing else has to happen.
    @Test func changeThatCannotBeWrittenIsTriedAgain() throws {
        try folder.folder("flick.db")
        let recorder = LibraryWriter(path: path) { _ in }
        recorder.note([.seen(item("a"), at: 1)])
        recorder.flush(within: .seconds(20))
        try FileManager.default.removeItem(atPath: path)
        #expect(holds(within: .seconds(20)) { Store.exists(at: path) })
        recorder.flush(within: .seconds(20))
        #expect(try count() == 1)
        recorder.close(within: .seconds(20))
    }

    @Test func changesAfterFileRemovalAreSaved() throws {
        let reports = Reports()
        let recorder = LibraryWriter(path: path) { reports.add($0) }
        recorder.note([.seen(item("a"), at: 1)])
        recorder.flush(within: .seconds(20))
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        recorder.note([.seen(item("b"), at: 2)])
        #expect(recorder.close(within: .seconds(20)))
        #expect(try count() == 1 && reports.lines.isEmpty)
    }

    /// Another process locks the file until the test ends.
    @Test func lockedFileDoesNotDelayClosing() throws {
        _ = try Store(path: path)
        let database = try LockedDatabase(path, by: ["BEGIN IMMEDIATE"])
        defer { database.release() }
        let recorder = LibraryWriter(path: path) { _ in }
        recorder.note([.seen(item("a"), at: 1)])
        let began = ContinuousClock.now
        #expect(!recorder.close(within: .seconds(20), lockLimit: .milliseconds(100)), "unwritten changes are reported")
        #expect(ContinuousClock.now - began < .seconds(2))
    }

    @Test func damagedFileIsReportedAndReplaced() throws {
        let reports = Reports()
        try folder.write("flick.db", Array(repeating: UInt8(7), count: 10_000))
        let recorder = LibraryWriter(path: path) { reports.add($0) }
        recorder.note([.seen(item("a"), at: 1)])
        recorder.close(within: .seconds(20))
        #expect(try count() == 1)
        #expect(
            reports.lines == [
                "flick's database was damaged; a copy is in '\(path).damaged-1', and a new one was created"
            ]
        )
    }
}
