import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FeedServer

/// Stills on disk.
@Suite struct StillFilesTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/serve/x.stills" }

    private func names() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: path)) }

    /// Sets when a file was used last, this many seconds ago.
    private func age(_ name: String, _ seconds: Int) {
        var times = [timespec(tv_sec: time(nil) - seconds, tv_nsec: 0), timespec(tv_sec: time(nil), tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path + "/" + name, &times, 0) == 0)
    }

    @Test func stillsAreStoredPrivately() throws {
        let files = StillFiles(folder: path) { Issue.record("\($0)") }
        #expect(files.find("a.jpg") == nil)
        let kept = try #require(files.keep([1, 2, 3], as: "a.jpg"))
        #expect(kept.bytes(upTo: 9) == [1, 2, 3] && files.find("a.jpg")?.bytes(upTo: 9) == [1, 2, 3])
        #expect(files.keep([4], as: "a.jpg")?.bytes(upTo: 9) == [4], "the later one takes its place")
        #expect(try names() == ["a.jpg"])
        for (name, mode) in [("", 0o40700), ("/..", 0o40700), ("/a.jpg", 0o100600)] as [(String, mode_t)] {
            var facts = stat()
            #expect(stat(path + name, &facts) == 0 && facts.st_mode == mode, "\(name)")
        }
        // Another server has the same folder, or this one has restarted.
        #expect(StillFiles(folder: path) { _ in }.find("a.jpg") != nil)
        // It may be taken away.
        try FileManager.default.removeItem(atPath: path)
        #expect(files.find("a.jpg") == nil && files.keep([5], as: "b.jpg")?.bytes(upTo: 9) == [5])
    }

    @Test(arguments: [
        StillFiles.Limits(bytes: 1 << 20, files: 20), StillFiles.Limits(bytes: 20_000, files: 1_000),
    ])
    func thoseGoThatWereNotUsedForLongest(limits: StillFiles.Limits) throws {
        let files = StillFiles(folder: path, limits: limits) { Issue.record("\($0)") }
        for number in 0..<20 {
            _ = files.keep([UInt8](repeating: 7, count: 1_000), as: "\(number).jpg")
            age("\(number).jpg", 1_000 - number)
        }
        #expect(try names().count == 20)
        // The oldest one is used.
        #expect(files.find("0.jpg") != nil)
        _ = files.keep([UInt8](repeating: 7, count: 1_000), as: "20.jpg")
        #expect(try names() == Set([0, 20].map { "\($0).jpg" } + (4..<20).map { "\($0).jpg" }))
        for number in 21..<200 {
            _ = files.keep([UInt8](repeating: 7, count: 1_000), as: "\(number).jpg")
            #expect(try names().count <= 20)
        }
        #expect(try names().contains("199.jpg"))
    }

    @Test func unfinishedFilesAreRemoved() throws {
        try folder.write("serve/x.stills/.old.new", [1])
        try folder.write("serve/x.stills/.young.new", [1])
        age(".old.new", 4_000)
        _ = StillFiles(folder: path) { _ in }.keep([1], as: "a.jpg")
        #expect(try names() == [".young.new", "a.jpg"])
    }

    @Test func unusableFolderIsReportedOnce() throws {
        try folder.write("serve", [1])
        let warnings = Mutex<[String]>([])
        let files = StillFiles(folder: path) { text in warnings.withLock { $0.append(text) } }
        #expect(files.keep([1], as: "a.jpg") == nil && files.keep([1], as: "b.jpg") == nil)
        #expect(files.find("a.jpg") == nil)
        let texts = warnings.withLock(\.self)
        #expect(
            texts.count == 1 && texts.first?.hasPrefix("cannot store stills in '\(path)': not a directory") == true,
            "\(texts)")
    }
}
