import Model
import Synchronization
import TestSupport
import Testing
import Wire

@testable import App
@testable import Player
@testable import UI

/// What is made ready of the items near the page in view.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct NearItemsTests {
    private let folder = TemporaryFolder()

    /// The URLs of the stills and avatars that decoders were to make, in order.
    private final class RequestedStills: Sendable {
        private let urls = Mutex<[String]>([])

        /// The names of the files with that ending since the last call.
        func take(_ ending: String) -> [String] {
            urls.withLock { urls in
                defer { urls = [] }
                return urls.filter { $0.hasSuffix(ending) }.map {
                    String($0.dropFirst("file:///".count).dropLast(ending.count))
                }
            }
        }

        var decoder: ScriptedDecoder {
            var decoder = ScriptedDecoder()
            decoder.hears = { [self] order in
                if case .still(_, let url, _) = order { urls.withLock { $0.append(url) } }
            }
            return decoder
        }
    }

    /// Items named by their numbers, with thumbnails and creators; number 10 is sensitive.
    private nonisolated static func items(_ count: Int, at url: (Int) -> String = { "file:///clips/\($0).mp4" })
        -> [Item]
    {
        (0..<count).map { number in
            var item = Item(
                id: "\(number)", url: url(number), thumbnail: "file:///\(number).jpg", title: "Title-\(number)",
                creator: Item.Creator(name: "Creator-\(number)", avatar: "file:///\(number).png"))
            item.isSensitive = number == 10
            return item
        }
    }

    private func names(_ numbers: some Sequence<Int>) -> Set<String> { Set(numbers.map { "\($0)" }) }

    // MARK: Clips

    @Test func clipsAreOpenedAtTheirOwnPagesUnlessCovered() throws {
        var items = LoopStage.items
        items[1].isSensitive = true
        let stage = try LoopStage(items)
        defer { stage.close() }
        stage.start()
        #expect(stage.pool.pages.mapValues(\.index) == ["a": 0, "c": 2, "d": 3, "e": 4])
        #expect(stage.pool.pages.allSatisfy { $0.key == $0.value.item.id })
    }

    /// A resolver is only queried for the nearest clips: up to two pages ahead and one behind.
    @Test func resolvedClipsAreOpenedNearThePageInView() throws {
        var items = LoopStage.items
        (items[1].resolver, items[3].resolver) = (.peerTube, .peerTube)
        let stage = try LoopStage(items)
        defer { stage.close() }
        stage.start()
        #expect(Set(stage.pool.pages.keys) == ["a", "b", "c", "e"])
        try stage.type("G")
        stage.run(for: .seconds(1))
        #expect(stage.state.current == 4)
        #expect(Set(stage.pool.pages.keys) == ["a", "c", "d", "e"])
    }

    @Test func nothingIsOpenedWhilePagesPass() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        #expect(stage.pool.pages.count == 5)
        _ = stage.loop.keepWarm([])
        #expect(stage.pool.pages.isEmpty)
        _ = stage.loop.keepWarm(["d", "b", "unknown"])
        #expect(stage.pool.pages.mapValues(\.index) == ["b": 1, "d": 3])
    }

    /// The tenth is fetched, the eleventh is not; nor is anything of what is covered.
    @Test func beginningsOfTheNextTenFilesAreFetched() throws {
        let server = try FaultyServer()
        for number in 0..<14 { server.serve("/\(number).mp4", [UInt8](repeating: 1, count: 100)) }
        // Without a cache nothing is fetched ahead.
        let setup = try Setup(
            config: folder.write("config.toml"), cacheFolder: folder.path + "/cache", keepsCache: true)
        let provider = setup.provider(nil, notice: { _ in })
        let stage = try LoopStage(Self.items(14) { server.url("/\($0).mp4") }, provider: provider)
        defer { stage.close() }
        stage.start()
        func fetched() -> Set<String> {
            names((0..<14).filter { !server.requests(for: "/\($0).mp4").isEmpty })
        }
        // Number 10 is sensitive.
        #expect(stage.wait { fetched().isSuperset(of: names(1...9)) })
        stage.run(for: .seconds(1))
        #expect(fetched().isDisjoint(with: names(10...13)))
        server.resetCounts()
        try stage.type("jjj")
        stage.run(for: .seconds(2))
        #expect(stage.state.current == 3)
        #expect(stage.wait { fetched().isSuperset(of: names(11...13)) })
        #expect(!fetched().contains("10"))
    }

    // MARK: Stills

    /// Up to twenty pages ahead and eight behind, of clips that no player has opened.
    @Test func stillsAreMadeOfItemsNearThePageInView() throws {
        let stills = RequestedStills()
        let stage = try LoopStage(Self.items(32), decoder: stills.decoder)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(5))
        let ahead = Set(stills.take(".jpg"))
        #expect(ahead.isSuperset(of: names(11...20)) && ahead.isDisjoint(with: names([10] + Array(21..<32))))
        try stage.type("G")
        stage.run(for: .seconds(5))
        #expect(stage.state.current == 31)
        let behind = Set(stills.take(".jpg"))
        #expect(behind.isSuperset(of: names(23...26)) && behind.isDisjoint(with: names(0...22)))
    }

    @Test func stillsOfTilesAreMadeFromTheChosenOneOn() throws {
        let stills = RequestedStills()
        var items = Self.items(40)
        items[33].isSensitive = true
        let stage = try LoopStage(items, decoder: stills.decoder)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(5))
        _ = stills.take(".jpg")
        stage.loop.state.feed.grid = StillGrid(chosen: 35)
        let inView = StillGridLayout(stage.state).inView
        #expect(inView.contains(36) && inView.contains(33) && inView.lowerBound > 20)
        for event in stage.loop.wantStills(ofTiles: inView) { stage.loop.handle(event) }
        stage.run(for: .seconds(5))
        let made = stills.take(".jpg")
        // Two are made at the same time. What is covered has none.
        #expect(Set(made.prefix(2)) == names(35...36), "\(made)")
        #expect(Set(made) == names(inView).subtracting(["33"]))
    }

    // MARK: Avatars

    @Test func avatarsAreMadeOfCreatorsNearThePageInView() throws {
        let stills = RequestedStills()
        let stage = try LoopStage(Self.items(9), decoder: stills.decoder)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(3))
        #expect(stills.take(".png") == ["0", "1", "2", "3"])
        try stage.type("G")
        stage.run(for: .seconds(3))
        #expect(stage.state.current == 8)
        #expect(stills.take(".png") == ["8", "7"])
    }

    @Test(arguments: [(PictureMode.ascii, false), (.half, true)])
    func avatarsAreNotMadeWhereTheyCannotBeShown(_ pictureMode: PictureMode, _ isPlain: Bool) throws {
        let stills = RequestedStills()
        let stage = try LoopStage(
            Self.items(9), decoder: stills.decoder, isPlain: isPlain, pictureMode: pictureMode)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(3))
        #expect(stills.take(".png").isEmpty)
    }
}
