import Foundation
import Model
import TestSupport
import Testing

@testable import Bytes
@testable import Cache

@Suite struct AssetStoreTests {
    let cache = CacheFixture()
    private let kilo = 1024

    @Test func savedBytesSurviveARestart() throws {
        let bytes = pattern(1_500_000)
        do {
            let store = cache.store()
            #expect(store.asset(key("a")) == nil)
            let facts = AssetFacts(
                length: 1_500_000, type: "video/mp4", etag: "\"1\"", lastModified: "Mon", servesRanges: true)
            let asset = try #require(store.make(key("a"), facts: facts, retention: .lasting))
            #expect(asset.save(bytes[..<600_000], at: 0))
            #expect(asset.save(bytes[900_000...], at: 900_000))
            #expect(asset.read(2_000_000) == Array(bytes[..<600_000]))
        }
        let asset = try #require(cache.store().asset(key("a")))
        #expect(asset.facts.length == 1_500_000)
        #expect(asset.facts.etag == "\"1\"" && asset.facts.servesRanges == true && asset.facts.type == "video/mp4")
        #expect(asset.ranges.ranges == [0...599_999, 900_000...1_499_999])
        #expect(asset.read(2_000_000) == Array(bytes[..<600_000]))
        #expect(asset.read(2_000_000, at: 900_000) == Array(bytes[900_000...]))
        #expect(asset.read(10, at: 600_000) == [] && asset.read(10, at: -1) == [] && asset.read(10, at: .max) == [])
        #expect(asset.read(100, at: 1_499_990) == Array(bytes[1_499_990...]))
        #expect(cache.said == [])
        #expect(try cache.total() == 1_200_000)
    }

    @Test func randomReadsReturnSavedBytes() throws {
        let bytes = pattern(200_000)
        var random = SeededRandom(state: 3)
        var options = cache.options
        options.pieceSize = 8000
        let store = cache.store(options)
        let asset = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        var kept = ByteRanges()
        for round in 0..<120 {
            let start = Int.random(in: 0..<200_000, using: &random)
            let end = min(200_000, start + Int.random(in: 1..<20_000, using: &random))
            #expect(asset.save(bytes[start..<end], at: Int64(start)))
            kept.insert(Int64(start)...Int64(end) - 1)
            let place = Int.random(in: 0..<200_000, using: &random)
            let got = (round % 2 == 0 ? asset : try #require(cache.store(options).asset(key("a")))).read(
                15_000, at: Int64(place))
            let count = min(15_000, Int(kept.prefix(from: Int64(place))))
            #expect(got == Array(bytes[place..<place + count]))
            if kept.firstGap(in: 0...199_999) == nil { break }
        }
        #expect(asset.ranges == kept)
        #expect(try cache.total() == kept.ranges.reduce(0) { $0 + $1.count })
        #expect(try cache.inspection().verify { _, _ in }.badBytes == 0)
    }

    @Test func cachedBytesAreNotWrittenAgain() throws {
        let asset = try #require(cache.store().make(key("a"), facts: AssetFacts(), retention: .lasting))
        #expect(asset.save(pattern(1000, seed: 1), at: 100))
        #expect(asset.save(pattern(3000, seed: 2), at: 0))
        #expect(asset.read(100, at: 0) == Array(pattern(3000, seed: 2)[..<100]))
        #expect(asset.read(1000, at: 100) == pattern(1000, seed: 1))
        #expect(asset.read(1900, at: 1100) == Array(pattern(3000, seed: 2)[1100...]))
        #expect(try cache.total() == 3000)
    }

    @Test func smallPiecesInARowAreMerged() throws {
        let bytes = pattern(64_000)
        let store = cache.store()
        let asset = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        for start in stride(from: 0, to: 64_000, by: 1000) {
            #expect(asset.save(bytes[start..<start + 1000], at: Int64(start)))
        }
        let index = try CacheIndex(path: cache.path + "/index.db")
        #expect(try index.pieces(of: asset.edition).map(\.range) == [0...63_999])
        #expect(try #require(cache.store().asset(key("a"))).read(64_000) == bytes)
    }

    @Test func saveRefusesInvalidRanges() throws {
        let asset = try #require(cache.store().make(key("a"), facts: AssetFacts(length: 100), retention: .lasting))
        #expect(!asset.save([1, 2, 3], at: 98))
        #expect(!asset.save([1], at: -1))
        #expect(!asset.save([1], at: .max))
        #expect(!asset.save([], at: 0))
        #expect(asset.save([1, 2], at: 98))
        #expect(cache.said == [])
    }

    @Test func agreeingFactsAreLearned() throws {
        do {
            let asset = try #require(
                cache.store().make(key("a"), facts: AssetFacts(etag: "\"1\""), retention: .lasting))
            asset.learn(AssetFacts(length: 50, type: "video/mp4", servesRanges: true))
            // Those of another edition: none of them.
            asset.learn(AssetFacts(length: 60, lastModified: "Sat, 02 May 2026 12:00:00 GMT"))
        }
        let facts = try #require(cache.store().asset(key("a"))).facts
        #expect(facts == AssetFacts(length: 50, type: "video/mp4", etag: "\"1\"", servesRanges: true))
    }

    /// A server may begin to serve ranges.
    @Test func latestAnswerAboutRangesIsStored() throws {
        do {
            let asset = try #require(
                cache.store().make(key("a"), facts: AssetFacts(etag: "\"1\""), retention: .lasting))
            asset.learn(AssetFacts(servesRanges: false))
            asset.learn(AssetFacts(type: "video/mp4"))
            #expect(asset.facts.servesRanges == false)
            asset.learn(AssetFacts(servesRanges: true))
        }
        #expect(try #require(cache.store().asset(key("a"))).facts.servesRanges == true)
    }

    @Test func replacedAssetNeitherSavesNorReads() throws {
        let store = cache.store()
        let old = try #require(store.make(key("a"), facts: AssetFacts(etag: "1"), retention: .lasting))
        #expect(old.save([1, 2, 3], at: 0))
        let new = try #require(store.make(key("a"), facts: AssetFacts(etag: "2"), retention: .lasting))
        #expect(old.read(3) == [] && !old.save([1], at: 0) && old.ranges.isEmpty)
        #expect(new.read(3) == [] && new.save([9], at: 0) && new.read(3) == [9])
        #expect(store.asset(key("a")) === new)
        #expect(cache.files.count == 1)
        new.drop()
        #expect(store.asset(key("a")) == nil && cache.files.isEmpty)
        #expect(try cache.total() == 0)
    }

    @Test func outdatedEntryIsNotFoundBeforeItIsDropped() throws {
        let store = cache.store()
        let old = try #require(store.make(key("a"), facts: AssetFacts(etag: "1"), retention: .lasting))
        #expect(old.save([1, 2, 3], at: 0))
        old.markOutdated()
        #expect(store.asset(key("a")) == nil)
        old.drop()
        #expect(store.asset(key("a")) == nil && cache.files.isEmpty)
        let new = try #require(store.make(key("a"), facts: AssetFacts(etag: "2"), retention: .lasting))
        #expect(store.asset(key("a")) === new)
    }

    // MARK: - Two processes

    @Test func editionsOfTwoProcessesAreNotMixed() throws {
        let (one, two) = (cache.store(), cache.store())
        let old = try #require(one.make(key("a"), facts: AssetFacts(etag: "1"), retention: .lasting))
        #expect(old.save([1, 1, 1, 1], at: 0))
        let new = try #require(two.make(key("a"), facts: AssetFacts(etag: "2"), retention: .lasting))
        #expect(new.save([2, 2], at: 0))
        #expect(!old.save([1, 1], at: 4))
        #expect(new.read(9) == [2, 2])
        #expect(try #require(cache.store().asset(key("a"))).read(9) == [2, 2])
    }

    @Test func twoProcessesSaveTheSameAsset() throws {
        let bytes = pattern(300_000)
        let one = try #require(cache.store().make(key("a"), facts: AssetFacts(), retention: .lasting))
        let two = try #require(cache.store().asset(key("a")))
        #expect(one.save(bytes[..<100_000], at: 0))
        // It overlaps what the other has saved, and learns of it.
        #expect(two.save(bytes[50_000..<200_000], at: 50_000))
        #expect(two.ranges.ranges == [0...199_999])
        #expect(one.save(bytes[150_000...], at: 150_000))
        for asset in [one, two, try #require(cache.store().asset(key("a")))] {
            let count = Int(asset.ranges.prefix(from: 0))
            #expect(asset.read(300_000) == Array(bytes[..<count]))
        }
        #expect(try cache.total() == 300_000)
    }

    @Test func concurrentSavesOfTwoProcessesAllSucceed() async throws {
        let stores = [cache.store(), cache.store()]
        let bytes = pattern(400_000)
        _ = try #require(stores[0].make(key("a"), facts: AssetFacts(), retention: .lasting))
        await withTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    guard let asset = store.asset(key("a")) else { return }
                    var random = SeededRandom(state: UInt64(number))
                    for start in stride(from: 0, to: 400_000, by: 20_000).shuffled(using: &random) {
                        _ = asset.save(bytes[start..<start + 20_000], at: Int64(start))
                        let got = asset.read(30_000, at: Int64(start))
                        if got != Array(bytes[start..<start + got.count]) { Issue.record("mixed at \(start)") }
                    }
                }
            }
        }
        #expect(try #require(cache.store().asset(key("a"))).read(500_000) == bytes)
        #expect(try cache.total() == 400_000 && cache.said.isEmpty)
    }

    // MARK: - Damage

    @Test(arguments: [false, true])
    func damagedBytesAreDroppedAndSavedAgain(isSealed: Bool) throws {
        var options = cache.options
        options.key = isSealed ? pattern(32) : nil
        options.pieceSize = 1000
        let bytes = pattern(10_000)
        try #require(cache.store(options).make(key("a"), facts: AssetFacts(), retention: .lasting))
            .save(bytes, at: 0).check()
        try overwrite(cache.files[0], at: 4500)
        let asset = try #require(cache.store(options).asset(key("a")))
        #expect(asset.read(500, at: 5000) == Array(bytes[5000..<5500]))
        #expect(asset.read(20_000) == Array(bytes[..<4000]))
        #expect(asset.read(1, at: 4999) == [])
        #expect(asset.ranges.ranges == [0...3999, 5000...9999])
        #expect(try cache.inspection(options).status().bytes == 9000)
        #expect(asset.save(bytes[3000..<6000], at: 3000))
        #expect(asset.read(20_000) == bytes)
        #expect(try #require(cache.store(options).asset(key("a"))).read(20_000) == bytes)
    }

    @Test func unsealedBytesInASealedCacheAreIgnored() throws {
        var options = cache.options
        options.key = pattern(32)
        let made = try #require(cache.store(options).make(key("a"), facts: AssetFacts(), retention: .lasting))
        #expect(made.save([1, 2, 3], at: 0))
        // By someone who may write to the folder, but has no key.
        let planted: [UInt8] = [7, 8, 9]
        let file = try #require(FileHandle(forWritingAtPath: cache.files[0]))
        try file.seekToEnd()
        try file.write(contentsOf: planted)
        let piece = try #require(Piece(start: 3, length: 3, check: .sum(planted.withUnsafeBytes { Checksum.of($0) })))
        let index = try CacheIndex(path: cache.path + "/index.db")
        #expect(try index.save(3...5, of: made.edition, noting: CacheIndex.Uses()) { _ in [piece] } != nil)
        let asset = try #require(cache.store(options).asset(key("a")))
        #expect(asset.ranges.ranges == [0...5])
        #expect(asset.read(6) == [1, 2, 3] && asset.ranges.ranges == [0...2])
    }

    @Test func aFileCutShortLosesItsEndOnly() throws {
        var options = cache.options
        options.pieceSize = 1000
        let bytes = pattern(10_000)
        let store = cache.store(options)
        let open = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        #expect(open.save(bytes, at: 0))
        truncate(cache.files[0], 5500)
        // Readers that have read it before find out as well.
        #expect(open.read(20_000) == Array(bytes[..<5000]))
        #expect(try #require(cache.store(options).asset(key("a"))).read(20_000) == Array(bytes[..<5000]))
        // The rest is found out about when it is looked at.
        #expect(try cache.inspection().verify { _, _ in }.badBytes == 4000)
        #expect(try cache.total() == 5000)
    }

    @Test func anAssetWithoutItsFileIsMissing() throws {
        _ = cache.store().make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0)
        unlink(cache.files[0])
        #expect(cache.store().asset(key("a")) == nil)
        #expect(try cache.total() == 0)
    }

    @Test func aLinkIsNotFollowed() throws {
        _ = cache.store().make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0)
        let file = cache.files[0]
        let secret = try cache.parent.write("secret", [1])
        unlink(file)
        symlink(secret, file)
        #expect(cache.store().asset(key("a")) == nil)
    }

    @Test func otherUsersCannotReadTheCache() throws {
        let store = cache.store()
        _ = store.make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0)
        for path in [cache.path, cache.path + "/assets", cache.path + "/index.db", cache.path + "/index.db-wal"]
            + cache.files
        {
            let mode = try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(path) has \(String(mode, radix: 8))")
        }
        #expect(cache.files[0].contains("/" + key("a").hash))
    }

    private func overwrite(_ path: String, at offset: UInt64) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data([0xFF, 0x00, 0xFF]))
        try file.close()
    }
}

extension Bool {
    fileprivate func check() throws { try #require(self) }
}
