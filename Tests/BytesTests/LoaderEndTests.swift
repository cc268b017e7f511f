import Model
import TestSupport
import Testing

@testable import Bytes
@testable import Cache
@testable import HTTP

/// A transfer's thread and the provider's end run at the same time.
@Suite struct LoaderEndTests {
    private let folder = TemporaryFolder()

    /// The transfer's thread has received the last bytes, but carries out its
    /// orders only after the provider was closed.
    @Test func bytesThatCameBeforeTheEndAreSavedIfTheirThreadIsOvertaken() throws {
        let cache = CacheOptions(folder: folder.path + "/cache")
        let services = LoaderServices(cache: cache, network: NetworkOptions(), report: { _ in }, notice: { _ in })
        let asset = Asset(url: "http://127.0.0.1/clip.mp4")
        let key = try #require(AssetKey(asset.url))
        let loader = Loader(key: key, request: ByteRequest(url: asset.url, asset: asset), services: services)
        let bytes = [UInt8](repeating: 7, count: 1_000)

        let (_, overtaken) = loader.change { state in
            state.lookedUp(nil, ByteRanges())
            state.isKindKnown = true
            bytes.withUnsafeBytes { state.window.append($0, at: 0, end: 1_000) }
            state.save(all: true)
        }
        loader.close()
        services.writer.end()
        services.writer.drain(upTo: .seconds(60))

        let entries = try CacheInspection(cache).entries()
        #expect(entries.map(\.bytes) == [1_000])
        loader.carryOut(overtaken)
    }
}
