import Bytes
import Foundation
import Model
import TestSupport
import Testing
import Threads

@testable import Feeds

@Suite struct SpoolTests {
    private static func text(_ generator: inout SeededRandom, upTo limit: Int) -> String? {
        guard Bool.random(using: &generator) else { return nil }
        let count = Int.random(in: 0...limit, using: &generator)
        return String(
            (0..<count).map { _ in ["a", "é", "東", "🌅", "\n", "\u{0}"].randomElement(using: &generator) ?? "b" }
                .joined())
    }

    static func item(_ number: Int, seed: UInt64) -> Item {
        var random = SeededRandom(state: seed &+ UInt64(number) &* 977)
        func text(_ limit: Int) -> String? { Self.text(&random, upTo: limit) }
        var item = Item(
            id: "i\(number)", url: "https://h/\(number)", thumbnail: text(9), blurHash: text(6), title: text(40),
            text: text(900),
            duration: Bool.random(using: &random) ? .milliseconds(Int.random(in: 0...9_999_999, using: &random)) : nil,
            published: Bool.random(using: &random) ? Date(timeIntervalSince1970: -12.5 + Double(number)) : nil,
            creator: Bool.random(using: &random)
                ? .init(id: text(3), name: text(9), avatar: text(4), url: text(5)) : nil,
            tags: (0..<Int.random(in: 0...5, using: &random)).map { "t\($0)" },
            sound: Bool.random(using: &random) ? .init(title: text(5), artist: text(6)) : nil,
            trust: Bool.random(using: &random) ? .init(score: number % 101, label: text(4), reasons: ["r", ""]) : nil,
            stats: Bool.random(using: &random) ? .init(likes: number, comments: Int.max - 1) : nil, link: text(7),
            own: Bool.random(using: &random), headers: Bool.random(using: &random) ? ["A": "1", "B": ""] : [:],
            resolver: [nil, .peerTube, .ytDLP][Int.random(in: 0..<3, using: &random)])
        (item.isSensitive, item.warning) = (Bool.random(using: &random), text(8))
        return item
    }

    @Test func everyItemIsReadBackUnchanged() throws {
        let spool = ItemSpool(folder: "/tmp")
        for number in 0..<1_000 { try spool.append(Self.item(number, seed: 3)) }
        let list = spool.list
        var random = SeededRandom(state: 11)
        for number in Array(0..<1_000) + (0..<2_000).map({ _ in Int.random(in: 0..<1_000, using: &random) }) {
            try #require(list[number] == Self.item(number, seed: 3))
        }
    }

    @Test func rewritingChangesOnlyItemsFromItsFirstOn() throws {
        let spool = ItemSpool(folder: "/tmp")
        for number in 0..<300 { try spool.append(Self.item(number, seed: 5)) }
        let before = spool.list
        _ = (before[100], before[299])
        try spool.rewrite(from: 70) { item in
            guard !item.id.hasSuffix("7") else { return nil }
            var item = item
            item.title = "new"
            return item
        }
        for number in 300..<400 { try spool.append(Self.item(number, seed: 5)) }
        let kept = (70..<300).filter { $0 % 10 != 7 }
        #expect(spool.count == 70 + kept.count + 100)
        for number in 0..<70 { #expect(spool.list[number] == Self.item(number, seed: 5)) }
        for (place, number) in kept.enumerated() {
            #expect(spool.list[70 + place].id == "i\(number)" && spool.list[70 + place].title == "new")
        }
        #expect(spool.list[spool.count - 1] == Self.item(399, seed: 5))
    }

    @Test func readersAndTheWriterDoNotDisturbEachOther() async throws {
        let spool = ItemSpool(folder: "/tmp")
        try spool.append(Self.item(0, seed: 9))
        // However the writer ends: without this, readers that wait for a list of 3,000 would never end.
        let isWritten = Monitor(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<4 {
                group.addTask {
                    var random = SeededRandom(state: UInt64(reader))
                    var isLast = false
                    while !isLast {
                        // The writer needs a thread too.
                        await Task.yield()
                        isLast = isWritten.withLock { $0 }
                        let list = spool.list
                        let number = Int.random(in: 0..<list.count, using: &random)
                        try #require(list[number].id == "i\(number)")
                    }
                }
            }
            group.addTask {
                defer { isWritten.change { $0 = true } }
                for number in 1..<3_000 { try spool.append(Self.item(number, seed: 9)) }
            }
            try await group.waitForAll()
        }
        #expect(spool.count == 3_000)
    }

    @Test func removedItemsAreOverwritten() throws {
        let spool = ItemSpool(folder: "/tmp")
        for number in 0..<100 { try spool.append(Self.item(number, seed: 1)) }
        let list = spool.list
        let mark = spool.mark
        var ends: Set<Int64> = []
        for _ in 0..<3 {
            for number in 100..<400 { try spool.append(Self.item(number, seed: 3)) }
            ends.insert(spool.mark.end)
            spool.goBack(to: mark)
            #expect(spool.count == 100)
        }
        #expect(ends.count == 1)
        for number in 100..<300 { try spool.append(Self.item(number, seed: 4)) }
        for place in 0..<100 { #expect(list[place] == Self.item(place, seed: 1)) }
        for place in 100..<300 { #expect(spool.list[place] == Self.item(place, seed: 4)) }
    }

    @Test func aFewItemsNeedNoFileAndManyAFolder() throws {
        let spool = ItemSpool(folder: "/no/such/folder")
        for number in 0..<63 { try spool.append(Self.item(number, seed: 1)) }
        #expect(spool.list[62].id == "i62")
        #expect(throws: FeedsError.cannotSpool("/no/such/folder", ENOENT)) { try spool.append(Self.item(63, seed: 1)) }
        #expect(
            "\(FeedsError.cannotSpool("/no\u{1B}[31m", ENOENT))"
                == "cannot store the feed's items in '/no\u{FFFD}[31m': no such file or directory; set TMPDIR to a folder with free space"
        )
    }

    @Test func theTemporaryFileHasNoName() throws {
        let folder = TemporaryFolder()
        let spool = ItemSpool(folder: folder.path)
        for number in 0..<200 { try spool.append(Self.item(number, seed: 1)) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(spool.list[0].id == "i0")
    }

    @Test func otherBytesAreNotItems() {
        var bytes: [UInt8] = []
        ItemCode.append(Self.item(4, seed: 2), to: &bytes)
        for cut in 1..<bytes.count {
            // No trap, and no additional item.
            #expect((ItemCode.items(Array(bytes[..<cut])) ?? []).isEmpty)
        }
        var random = SeededRandom(state: 6)
        for _ in 0..<2_000 {
            _ = ItemCode.items(
                (0..<Int.random(in: 0..<60, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        }
    }
}
