import Foundation
import Model
import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import Cache
@testable import HTTP

/// Assets kept offline stay in the cache, whatever its limit.
@Suite struct OfflineCacheTests {
    let cache = CacheFixture()

    private func options(limit: Int64) -> CacheOptions {
        var options = cache.options
        options.limit = limit
        options.pieceSize = 1_000
        return options
    }

    @discardableResult
    private func save(_ name: String, _ count: Int, in store: AssetStore) -> Bool {
        cache.pass(1)
        return store.make(key(name), facts: AssetFacts(), retention: .lasting)?.save(pattern(count), at: 0) ?? false
    }

    @Test func itIsBesideTheLimitAndNeverEvicted() throws {
        let store = cache.store(options(limit: 5_000))
        #expect(store.setOffline(true, key("mine")))
        #expect(save("mine", 8_000, in: store))
        for name in ["a", "b", "c", "d"] { #expect(save(name, 2_000, in: store)) }
        store.evict()
        #expect(store.asset(key("mine"))?.read(8_000) == pattern(8_000))
        // The newest of the other assets stay, up to 80 % of the limit.
        #expect(store.asset(key("a")) == nil && store.asset(key("b")) == nil)
        #expect(store.asset(key("d"))?.read(2_000) == pattern(2_000))
        let status = try cache.inspection(options(limit: 5_000)).status()
        #expect(status.offlineBytes == 8_000 && status.offlineEntries == 1 && status.bytes == 12_000)
    }

    @Test func onlyWholeFilesThatHaveNotExpiredAreListed() throws {
        let store = cache.store()
        func save(_ name: String, _ count: Int, of length: Int64?, retention: Asset.Retention = .lasting) {
            cache.pass(1)
            let asset = store.make(key(name), facts: AssetFacts(length: length), retention: retention)
            #expect(asset?.save(pattern(count), at: 0) == true)
        }
        save("whole", 100, of: 100)
        save("part", 99, of: 100)
        save("unknown", 100, of: nil)
        save("home", 100, of: 100, retention: .home)
        #expect(Set(store.wholeAssets().keys) == [key("whole").hash, key("home").hash])
        let made = store.wholeAssets()
        #expect((made[key("home").hash] ?? 0) > (made[key("whole").hash] ?? 0))
        cache.pass(Eviction.homeAge + 10)
        #expect(Set(store.wholeAssets().keys) == [key("whole").hash])
        cache.pass(91 * 86_400)
        #expect(store.wholeAssets().isEmpty)
    }

    @Test func itNeverExpires() {
        let store = cache.store()
        save("mine", 100, in: store)
        #expect(store.setOffline(true, key("mine")))
        cache.pass(1_000 * 86_400)
        store.evict()
        #expect(store.asset(key("mine"), on: .lasting)?.read(100) == pattern(100))
        store.writeUses()
        // A request by name does not make it evictable.
        cache.pass(1_000 * 86_400)
        store.evict()
        #expect(store.asset(key("mine"))?.read(100) == pattern(100))
    }

    @Test func laterSessionsKnowItAndLaterEditionsFollow() {
        save("mine", 100, in: cache.store())
        #expect(cache.store().setOffline(true, key("mine")))
        let store = cache.store()
        #expect(store.isOffline(key("mine")) && !store.isOffline(key("other")))
        store.asset(key("mine"))?.drop()
        save("mine", 200, in: store)
        cache.pass(1_000 * 86_400)
        store.evict()
        #expect(cache.store().asset(key("mine"))?.read(200) == pattern(200))
    }

    @Test func releasedOfflineAssetIsEvictable() {
        let store = cache.store(options(limit: 1_000))
        #expect(store.setOffline(true, key("mine")))
        save("mine", 3_000, in: store)
        store.evict()
        #expect(store.asset(key("mine")) != nil)
        #expect(store.setOffline(false, key("mine")))
        store.evict()
        #expect(store.asset(key("mine")) == nil)
    }
}

/// Fetching it.
@Suite struct OfflineFetcherTests {
    let fixture: ProviderFixture

    init() throws { fixture = try ProviderFixture() }

    /// Waits until the provider says so of an asset.
    private func comes(_ state: OfflineState, of url: String, from provider: CachedProvider) async -> Bool {
        await onThread { holds(within: .seconds(60)) { provider.offline(Asset(url: url)) == state } }
    }

    @Test func unreadFileIsFetchedWhole() async throws {
        let urls = (0..<3).map { fixture.serve("/\($0).mp4", length: 7 << 20, seed: UInt64($0)) }
        let provider = fixture.provider()
        for url in urls { provider.keepOffline(Asset(url: url), true) }
        for url in urls { #expect(await comes(.whole, of: url, from: provider)) }
        await provider.closed()
        #expect(fixture.fetched == 21 << 20)
        fixture.server.stop()
        let later = fixture.provider()
        #expect(try await later.source(urls[2]).bytes(at: 0, count: 7 << 20) == pattern(0, 7 << 20, seed: 2))
        #expect(later.offline(Asset(url: urls[2])) == .whole)
        #expect(later.offline(Asset(url: fixture.server.url("/other.mp4"))) == .no)
    }

    /// Without ranges one answer brings the whole file; otherwise it pauses without a reader.
    @Test func serverWithoutRangesSendsTheWholeFile() async throws {
        let url = fixture.serve("/clip.mp4", length: 24 << 20, [.noRanges])
        let provider = fixture.provider()
        provider.keepOffline(Asset(url: url), true)
        #expect(await comes(.whole, of: url, from: provider))
        await provider.closed()
    }

    @Test func onlyOneIsFetchedAtATime() async throws {
        // Each would take minutes, longer than any machine needs to see that only one comes.
        fixture.server.link = FaultyServer.Link(rate: 2_000_000)
        let urls = (0..<2).map { fixture.serve("/\($0).mp4", length: 400 << 20) }
        let provider = fixture.provider()
        for url in urls { provider.keepOffline(Asset(url: url), true) }
        #expect(await fixture.serverSees { $0.bodyBytes > 2_000_000 })
        #expect(Set(fixture.server.requests.map(\.path)) == ["/0.mp4"])
        // Letting the first one go begins the second.
        provider.keepOffline(Asset(url: urls[0]), false)
        #expect(await fixture.serverSees { _ in fixture.server.requests.contains { $0.path == "/1.mp4" } })
        #expect(await comes(.no, of: urls[0], from: provider))
        await provider.closed()
    }

    @Test func offlineErrorIsReportedAndRetriedInView() async throws {
        let url = fixture.server.url("/clip.mp4")
        let provider = fixture.provider()
        provider.keepOffline(Asset(url: url), true)
        let failed = await onThread {
            holds(within: .seconds(60)) {
                if case .failed = provider.offline(Asset(url: url)) { true } else { false }
            }
        }
        #expect(failed)
        _ = fixture.serve("/clip.mp4", length: 3 << 20)
        let failureIsOld = await onThread {
            holds(within: .seconds(60)) {
                provider.focus(on: Asset(url: url))
                return provider.offline(Asset(url: url)) == .whole
            }
        }
        #expect(failureIsOld)
        await provider.closed()
    }

    @Test func withoutACacheOfflineFails() async throws {
        let url = fixture.serve("/clip.mp4", length: 1 << 20)
        let provider = fixture.provider(cached: false)
        provider.keepOffline(Asset(url: url), true)
        #expect(await comes(.failed("the cache cannot be written"), of: url, from: provider))
        await provider.closed()
    }

    @Test func interruptedTransferContinuesWhenBackInView() async throws {
        // All of it would take a minute and a half, longer than any machine takes to stop.
        fixture.server.link = FaultyServer.Link(rate: 500_000)
        let url = fixture.serve("/clip.mp4", length: 40 << 20)
        let first = fixture.provider()
        first.keepOffline(Asset(url: url), true)
        #expect(await fixture.serverSees { $0.bodyBytes > 2 << 20 })
        await first.closed()
        let already = fixture.fetched
        #expect(already < 40 << 20)
        fixture.server.link = FaultyServer.Link()
        fixture.forget()
        let second = fixture.provider()
        // As at the start: in view before anything is read.
        second.focus(on: Asset(url: url))
        _ = try await second.source(url).bytes(at: 0, count: 10)
        #expect(await comes(.whole, of: url, from: second))
        // The bytes in the cache are not fetched again, except for the piece that was under way.
        #expect(fixture.fetched <= (40 << 20) - already + (1 << 20))
        await second.closed()
    }
}
