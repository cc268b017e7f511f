import Foundation
import Model
import TestSupport
import Testing

@testable import Bytes
@testable import Cache

@Suite struct CacheInspectionTests {
    let cache = CacheFixture()

    @Test func aMissingFolderIsAnEmptyCache() throws {
        let inspection = try cache.inspection()
        let status = try inspection.status()
        #expect(status.bytes == 0 && status.entries == 0 && status.limit == 500 << 20 && !status.isSealed)
        #expect(try inspection.entries() == [] && inspection.clear() == 0)
        #expect(try inspection.verify { _, _ in } == CacheInspection.Verification())
        #expect(!FileManager.default.fileExists(atPath: cache.path))
    }

    @Test func entriesListCachedAssets() throws {
        let store = cache.store()
        let whole = try #require(
            store.make(key("a"), facts: AssetFacts(length: 3, type: "video/mp4"), retention: .home))
        #expect(whole.save([1, 2, 3], at: 0))
        cache.pass(5)
        let part = try #require(store.make(key("b"), facts: AssetFacts(), retention: .lasting))
        #expect(part.save([1, 2], at: 7))
        let entries = try cache.inspection().entries()
        #expect(
            entries == [
                .init(
                    url: "https://example.com/b", bytes: 2, length: nil, type: nil, lastUsed: 1_000_005,
                    retention: .lasting, isWhole: false),
                .init(
                    url: "https://example.com/a", bytes: 3, length: 3, type: "video/mp4", lastUsed: 1_000_000,
                    retention: .home, isWhole: true),
            ])
    }

    @Test func verifyingDropsDamagedPieces() throws {
        var options = cache.options
        options.pieceSize = 100
        let store = cache.store(options)
        _ = store.make(key("a"), facts: AssetFacts(), retention: .lasting)?.save(pattern(1000), at: 0)
        let file = try #require(FileHandle(forUpdatingAtPath: cache.files[0]))
        try file.write(contentsOf: Data([1, 2, 3]))
        try file.close()
        var seen: [Int64] = []
        let found = try cache.inspection().verify { seen.append($1) }
        #expect(found == .init(entries: 1, bytes: 1000, badBytes: 100, dropped: 1) && seen == [100])
        #expect(try cache.inspection().verify { _, _ in } == .init(entries: 1, bytes: 900, badBytes: 0, dropped: 0))
    }

    @Test func clearingWorksWhileTheCacheIsUsed() throws {
        let store = cache.store()
        let asset = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        #expect(asset.save(pattern(1000), at: 0))
        #expect(try cache.inspection().clear() == 1000)
        #expect(cache.files.isEmpty)
        #expect(asset.read(1000) == pattern(1000))
        #expect(!asset.save([1], at: 2000))
        #expect(store.asset(key("a")) == nil)
        #expect(store.make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0) == true)
        #expect(cache.said.isEmpty)
    }

    @Test func aDamagedIndexIsReportedWithAdviceAndCanBeCleared() throws {
        try cache.parent.write("cache/index.db", pattern(9000))
        #expect(
            throws: CacheInspectionError(
                "cannot read the cache in '\(cache.path)': file is not a database; `flick cache clear` empties it",
                isDamage: true)
        ) {
            try cache.inspection().status()
        }
        #expect(try cache.inspection().clear() == 0)
        #expect(try cache.inspection().entries() == [])
    }

    // MARK: - Sealed

    @Test func aSealedCacheIsUnreadableWithoutItsKey() throws {
        var options = cache.options
        options.key = pattern(32)
        let secret = Array("the secret of the clip".utf8)
        let store = cache.store(options)
        _ = store.make(key("private"), facts: AssetFacts(), retention: .lasting)?.save(secret, at: 0)
        store.setText(.outline, secret, for: key("private"))
        #expect(store.text(.outline, for: key("private"))?.bytes == secret)
        for file in cache.files + ["", "-wal"].map({ cache.path + "/index.db" + $0 }) {
            let data = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(data.range(of: Data(secret)) == nil && data.range(of: Data("example.com".utf8)) == nil, "\(file)")
        }
        var facts = stat()
        #expect(stat(cache.files[0], &facts) == 0 && facts.st_size == secret.count)
        #expect(try cache.inspection(options).entries()[0].url == "https://example.com/private")
        #expect(try cache.inspection(options).verify { _, _ in }.badBytes == 0)
        let without = try cache.inspection()
        #expect(try without.status().isSealed && without.entries()[0].url == "sealed:" + key("private").hash)
        #expect(throws: CacheInspectionError.self) { try without.verify { _, _ in } }
        #expect(try cache.inspection(options).status().bytes == Int64(secret.count), "looking drops nothing")
    }

    @Test func sealedPiecesCannotBeMoved() throws {
        let sealing = try #require(Sealing(key: pattern(32)))
        let (sealed, proof) = pattern(100).withUnsafeBytes { sealing.seal($0, as: "here") }
        #expect(sealed.count == 100 && sealed != pattern(100))
        sealed.withUnsafeBytes {
            #expect(sealing.open($0, seal: proof, as: "here") == pattern(100))
            #expect(sealing.open($0, seal: proof, as: "there") == nil)
            #expect(sealing.open($0, seal: Array(proof.reversed()), as: "here") == nil)
            #expect(sealing.open($0, seal: [], as: "here") == nil)
            #expect(Sealing(key: pattern(32, seed: 9))?.open($0, seal: proof, as: "here") == nil)
        }
        #expect(Sealing(key: pattern(31)) == nil && sealing.unwrap([1, 2], as: "") == nil)
    }

    /// Bytes sealed by an earlier flick can be read: these are OpenSSL's, for key and nonce of RFC 8439, 2.8.2.
    @Test func sealsAreThoseOfTheSpecification() throws {
        let sealing = try #require(Sealing(key: Array(0x80...0x9F)))
        let nonce: [UInt8] = [7, 0, 0, 0] + Array(0x40...0x47)
        let sealed: [UInt8] = [0xFE, 0x5B, 0x9A, 0x38, 0x60, 0x91, 0x25, 0xDE, 0x35, 0x92, 0xE6, 0x9E, 0x55, 0xE4]
        let tag: [UInt8] = [
            0x32, 0xBD, 0x2F, 0xCD, 0xE2, 0x53, 0xCB, 0x66, 0x96, 0xAE, 0x96, 0x6A, 0x8F, 0xD9, 0xD3, 0x29,
        ]
        let plain = sealed.withUnsafeBytes { sealing.open($0, seal: nonce + tag, as: "here") }
        #expect(plain == Array("a sealed piece".utf8))
    }

    // MARK: - Outlines

    @Test func outlinesAreSavedRemovedAndExpire() throws {
        let store = cache.store()
        store.setText(.outline, [1, 2], for: key("a"))
        store.setText(.outline, [3], for: key("a"))
        store.setText(.outline, pattern(KeptText.outline.limit + 1), for: key("b"))
        #expect(
            cache.store().text(.outline, for: key("a"))?.bytes == [3]
                && store.text(.outline, for: key("b"))?.bytes == nil)
        store.setText(.outline, nil, for: key("a"))
        #expect(store.text(.outline, for: key("a"))?.bytes == nil)
        store.setText(.outline, [4], for: key("c"))
        cache.pass(91 * 86_400)
        #expect(store.text(.outline, for: key("c"))?.bytes == nil)
    }

    @Test func twentyMegabytesOfOutlinesAreStored() throws {
        let store = cache.store()
        let body = pattern(KeptText.outline.limit)
        for number in 0..<20 {
            store.setText(.outline, body, for: key("\(number)"))
            cache.pass(1)
        }
        #expect(store.text(.outline, for: key("0"))?.bytes != nil)
        cache.pass(1)
        store.setText(.outline, body, for: key("20"))
        #expect(store.text(.outline, for: key("0"))?.bytes != nil && store.text(.outline, for: key("20"))?.bytes != nil)
        #expect(store.text(.outline, for: key("1"))?.bytes == nil && store.text(.outline, for: key("2"))?.bytes != nil)
    }
}
