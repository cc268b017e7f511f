import Foundation
import Model
import TestSupport
import Testing

@testable import Bytes
@testable import Cache

/// The decisions alone.
@Suite struct EvictionTests {
    private func candidate(
        _ edition: Int64, bytes: Int64 = 100, used: Double = 0, made: Double = 0, retention: Asset.Retention = .lasting,
        isInUse: Bool = false
    ) -> Eviction.Candidate {
        Eviction.Candidate(
            edition: edition, bytes: bytes, used: used, made: made, retention: retention, isInUse: isInUse)
    }

    private func orders(_ candidates: [Eviction.Candidate], limit: Int64, now: Double = 100, isFull: Bool = false)
        -> [Eviction.Order]
    {
        let total = candidates.reduce(0) { $0 + $1.bytes }
        var eviction = Eviction(
            candidates, total: total, limit: limit, lowWater: 0.8, age: 90 * 86_400, now: now, isFull: isFull)
        var orders: [Eviction.Order] = []
        while let order = eviction.next() {
            orders.append(order)
            switch order {
            case .drop(let edition): eviction.freed(candidates.first { $0.edition == edition }?.bytes ?? 0)
            case .shrink(_, let bytes): eviction.freed(bytes)
            }
        }
        return orders
    }

    @Test func noAssetIsDroppedBelowTheLimit() {
        #expect(orders([candidate(1), candidate(2)], limit: 200) == [])
    }

    @Test func theLeastRecentlyUsedAreDroppedDownToTheLowWaterMark() {
        let candidates = [candidate(1, used: 5), candidate(2, used: 1), candidate(3, used: 9), candidate(4, used: 3)]
        // 400 in all, 240 may stay.
        #expect(orders(candidates, limit: 300) == [.drop(edition: 2), .drop(edition: 4)])
    }

    @Test func expiredAssetsAreAlwaysDroppedFirst() {
        let home = candidate(1, used: 7200, retention: .home)
        let old = candidate(2, used: 9e9, made: 0)
        #expect(orders([home, candidate(3)], limit: 1000, now: 7200) == [])
        #expect(orders([home, candidate(3)], limit: 1000, now: 7201) == [.drop(edition: 1)])
        #expect(orders([old], limit: 1000, now: 90 * 86_400 + 1) == [.drop(edition: 2)])
        #expect(orders([candidate(3, used: 1), home], limit: 150, now: 7201) == [.drop(edition: 1)])
    }

    @Test func homeFeedAssetsExpireAfterTwoHoursOrTheAge() {
        func isExpired(_ retention: Asset.Retention, after seconds: Double, age: Double) -> Bool {
            Eviction.isExpired(retention: retention, made: 100, age: age, now: 100 + seconds)
        }
        #expect(!isExpired(.home, after: 7_200, age: 86_400) && isExpired(.home, after: 7_201, age: 86_400))
        #expect(!isExpired(.home, after: 60, age: 60) && isExpired(.home, after: 61, age: 60))
        #expect(!isExpired(.lasting, after: 86_400, age: 86_400) && isExpired(.lasting, after: 86_401, age: 86_400))
    }

    @Test func clockSetBackExpiresNoAsset() {
        #expect(orders([candidate(1, made: 1e9, retention: .home)], limit: 1000, now: 5) == [])
    }

    @Test func assetsInUseShrinkLast() {
        let candidates = [
            candidate(1, used: 1, isInUse: true), candidate(2, used: 5),
            candidate(3, bytes: 800, used: 9, isInUse: true),
        ]
        #expect(
            orders(candidates, limit: 900) == [
                .drop(edition: 2), .shrink(edition: 1, bytes: 100), .shrink(edition: 3, bytes: 80),
            ])
    }

    @Test func fullDiskDropsAssetsBelowTheLimit() {
        #expect(
            orders([candidate(1, used: 1), candidate(2, used: 2)], limit: 1000, isFull: true) == [.drop(edition: 1)])
    }

    @Test func theFarthestPiecesAreDropped() throws {
        let pieces = try (0..<10).map { try #require(Piece(start: $0 * 10, length: 10, check: .sum(0))) }
        #expect(Eviction.farthest(pieces, from: 30, bytes: 25).map(\.start) == [90, 80, 70])
        #expect(Eviction.farthest(pieces, from: 99, bytes: 10).map(\.start) == [0])
        #expect(Eviction.farthest(pieces, from: 0, bytes: 1000).count == 10)
        #expect(Eviction.farthest(pieces, from: 0, bytes: 0).isEmpty)
    }
}

/// The store that carries them out.
@Suite struct EvictingTests {
    let cache = CacheFixture()

    private func keep(_ name: String, _ bytes: Int, in store: AssetStore, retention: Asset.Retention = .lasting)
        -> StoredAsset?
    {
        guard let asset = store.make(key(name), facts: AssetFacts(), retention: retention),
            asset.save(pattern(bytes), at: 0)
        else { return nil }
        cache.pass(1)
        return asset
    }

    private func names() throws -> [String] {
        try cache.inspection().entries().map { String($0.url.split(separator: "/")[2]) }.sorted()
    }

    @Test func theLeastRecentlyUsedGo() throws {
        var options = cache.options
        options.limit = 500_000
        let store = cache.store(options)
        for name in ["a", "b", "c", "d"] { #expect(keep(name, 120_000, in: store) != nil) }
        // The first asset is used again, which is only noted in memory.
        _ = store.asset(key("a"))?.read(1)
        cache.pass(1)
        #expect(keep("e", 120_000, in: store) != nil)
        #expect(try names() == ["a", "d", "e"])
        #expect(try cache.total() == 360_000)
        #expect(cache.files.count == 3)
    }

    @Test func lastUsesAreWrittenOnRequest() throws {
        let store = cache.store()
        #expect(keep("a", 10, in: store) != nil)
        #expect(keep("b", 10, in: store) != nil)
        cache.pass(100)
        _ = store.asset(key("a"))
        let before = try cache.inspection().entries().map(\.lastUsed)
        #expect(before.max()! < 1_000_003)
        store.writeUses()
        let entries = try cache.inspection().entries()
        #expect(entries[0].url.hasSuffix("/a") && entries[0].lastUsed == 1_000_102)
    }

    @Test func homeFeedAssetStaysOnceRequestedByName() throws {
        let store = cache.store()
        #expect(
            keep("named", 10, in: store, retention: .home) != nil
                && keep("home", 10, in: store, retention: .home) != nil)
        let another = cache.store()
        #expect(another.asset(key("named"), on: .lasting) != nil && another.asset(key("home"), on: .home) != nil)
        another.writeUses()
        cache.pass(7210)
        another.sweep()
        #expect(try names() == ["named"])
        #expect(try cache.inspection().entries().map(\.retention) == [.lasting])
    }

    @Test func homeFeedsExpireAfterTwoHours() throws {
        let store = cache.store()
        #expect(keep("home", 10, in: store, retention: .home) != nil && keep("other", 10, in: store) != nil)
        cache.pass(7190)
        #expect(store.asset(key("home")) != nil)
        cache.pass(20)
        #expect(store.asset(key("home")) == nil)
        #expect(try names() == ["other"])
        cache.pass(91 * 86_400)
        store.sweep()
        #expect(try names() == [] && cache.files.isEmpty)
    }

    @Test func aLargeFileStreamsThroughASmallCache() throws {
        var options = cache.options
        options.limit = 1_000_000
        options.pieceSize = 100_000
        let store = cache.store(options)
        let asset = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        for step in 0..<50 as Range<Int64> {
            let bytes = pattern(100_000, seed: UInt64(step))
            #expect(asset.save(bytes, at: step * 100_000))
            #expect(asset.read(100_000, at: step * 100_000) == bytes)
            #expect(try cache.total() <= 1_000_000)
        }
        // The bytes around the last read place are still there, and no hole counts as bytes.
        #expect(asset.ranges.prefix(from: 4_500_000) == 500_000)
        #expect(asset.ranges.ranges.reduce(0) { $0 + $1.count } == (try cache.total()))
        #expect(asset.read(10, at: 0) == [])
        #expect(try cache.inspection().verify { _, _ in }.badBytes == 0)
        #if os(Linux)
            var facts = stat()
            #expect(stat(cache.files[0], &facts) == 0 && facts.st_blocks * 512 < 1_300_000)
        #endif
    }

    @Test func assetsInUseByAnotherProcessStay() throws {
        var options = cache.options
        options.limit = 300_000
        let (one, two) = (cache.store(options), cache.store(options))
        let used = try #require(keep("a", 100_000, in: one))
        for name in ["b", "c", "d"] { #expect(keep(name, 100_000, in: two) != nil) }
        #expect(try names().contains("a"))
        #expect(used.read(100_000) == pattern(100_000))
        #expect(used.save([1], at: 100_000))
    }

    @Test func anAssetReadByAnotherProcessIsNotShrunk() throws {
        var options = cache.options
        options.limit = 300_000
        options.pieceSize = 100_000
        let one = try #require(keep("a", 300_000, in: cache.store(options)))
        let two = try #require(cache.store(options).asset(key("a")))
        #expect(two.read(300_000) == pattern(300_000))
        #expect(one.save(pattern(100_000), at: 300_000))
        #expect(two.read(300_000) == pattern(300_000))
        #expect(try cache.inspection().verify { _, _ in }.badBytes == 0)
    }

    @Test func aFileWithoutAnEntryIsSwept() throws {
        let store = cache.store()
        #expect(keep("a", 10, in: store) != nil)
        let orphan = try cache.parent.write("cache/assets/" + String(repeating: "0", count: 64) + ".1", [1, 2, 3])
        store.sweep()
        #expect(cache.files.contains(orphan), "it may just be being made")
        let old = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
        utimensat(AT_FDCWD, orphan, old, 0)
        store.sweep()
        #expect(cache.files.count == 1 && !cache.files.contains(orphan))
    }
}
