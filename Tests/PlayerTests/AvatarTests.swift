import Foundation
import Model
import TestSupport
import Testing

@testable import Player

/// Creators' pictures in the hands of a pool.
@Suite(.serialized) @MainActor struct AvatarTests {
    private func item(_ id: String, by creator: String?, hasThumbnail: Bool = false) -> Item {
        Item(
            id: id, url: "file:///\(id)", thumbnail: hasThumbnail ? "file:///\(id).jpg" : nil,
            creator: creator.map { .init(name: $0, avatar: "file:///\($0).png") })
    }

    private func stage(
        hasSound: Bool = true, _ answer: @escaping @Sendable (String) -> ScriptedDecoder.StillAnswer
    ) -> Stage {
        var script = ScriptedDecoder()
        script.still = { url, _ in answer(url) }
        return Stage(audio: hasSound ? TestOutput() : nil, decoders: [script])
    }

    private func run(_ stage: Stage, _ item: Item, for limit: Duration = .seconds(10), until done: (Stage) -> Bool)
        -> Bool
    {
        stage.run(item, limit: limit) { stage in
            stage.openAhead()
            return done(stage)
        }
    }

    private func want(_ stage: Stage, _ items: [Item], current: Int = 0) {
        stage.pool.wantAvatars(of: items.enumerated().map { ($0.element, $0.offset - current) })
    }

    private func pixel(_ stage: Stage, _ creator: String) -> UInt32? {
        stage.pool.withAvatar(at: "file:///\(creator).png") { view, _ in view.pixels[0] & 0xFF_FFFF }
    }

    /// The items whose avatars were made or tried, in order.
    private func tried(_ stage: Stage) -> [Item.ID] {
        stage.events.all("still").compactMap {
            if case .still(let item, "avatar", _, _) = $0 { item } else { nil }
        }
    }

    @Test func nearAvatarsAreMadeOnceNearestFirst() {
        let stage = stage { _ in .pixels(0x123456) }
        defer { stage.pool.close() }
        let creators = ["a", "b", "c", "c", "d", nil, "e", "f", "g", "h"]
        let items = creators.enumerated().map { item("\($0.offset)", by: $0.element) }
        stage.play(items[3])
        want(stage, items, current: 3)
        let isMade = run(stage, items[3]) { $0.avatars.count == 3 && $0.pool.decodersInUse.count == 1 }
        #expect(isMade && stage.avatars == ["file:///c.png", "file:///d.png", "file:///e.png"])
        #expect(tried(stage) == ["3", "4", "6"])
        #expect(pixel(stage, "c") == 0x123456 && pixel(stage, "a") == nil && pixel(stage, "f") == nil)
        // A page further, one more is wanted, and those that are there are not made again.
        want(stage, items, current: 4)
        let isNext = run(stage, items[4]) { $0.avatars.count == 4 }
        #expect(isNext && tried(stage) == ["3", "4", "6", "7"])
    }

    @Test func noneAreMadeWhereNoneAreShown() {
        let stage = stage { _ in .pixels(1) }
        defer { stage.pool.close() }
        let items = [item("0", by: "a")]
        stage.play(items[0])
        want(stage, items)
        want(stage, [])
        let isMade = run(stage, items[0], for: .seconds(2)) { !$0.avatars.isEmpty }
        #expect(!isMade && tried(stage) == [])
    }

    @Test(arguments: ["silence", "end", "another", "none", "damaged"])
    func brokenAvatarIsNotRetriedAndBlocksNoOther(fault: String) {
        let stage = stage { url in
            guard url.hasSuffix("a.png") else { return .pixels(0x333333) }
            return switch fault {
            case "silence": .silence
            case "end": .end
            case "another": .another
            case "none": .none("no picture")
            default: .damaged(0)
            }
        }
        defer { stage.pool.close() }
        let items = [item("0", by: "a"), item("1", by: "b"), item("2", by: "c")]
        stage.play(items[0])
        want(stage, items)
        let isMade = run(stage, items[0]) { $0.avatars.count == 2 }
        _ = run(stage, items[0], for: .seconds(3)) { _ in false }
        #expect(isMade && tried(stage) == ["0", "1", "2"] && pixel(stage, "a") == nil)
        #expect(stage.events.all("error").isEmpty && stage.notices.isEmpty)
        // Away and near again: the server may have it now.
        want(stage, [])
        want(stage, items)
        let isTried = run(stage, items[0]) { tried($0).count == 4 }
        #expect(isTried)
    }

    @Test func bytesOfAnAvatarThatIsNoPictureAreDiscarded() {
        var script = ScriptedDecoder()
        script.still = { url, _ in url.hasSuffix("a.png") ? .none("no picture") : .pixels(1) }
        let provider = MeteredProvider(size: 1_000, arrived: 1_000)
        let stage = Stage(audio: TestOutput(), network: provider, decoders: [script])
        defer { stage.pool.close() }
        let items = ["a", "b"].map { name in
            Item(id: name, url: "file:///\(name)", creator: .init(name: name, avatar: "http://test/\(name).png"))
        }
        stage.play(items[0])
        want(stage, items)
        let isTried = run(stage, items[0]) { tried($0) == ["a", "b"] }
        #expect(isTried && provider.discarded.map(\.url) == ["http://test/a.png"])
    }

    /// The page's own picture is never kept waiting by its creator's.
    @Test func avatarsWaitForThePicturesOfThePageInView() {
        let stage = stage(hasSound: false) { url in url.hasSuffix("a.png") ? .pixels(1) : .pixels(2) }
        defer { stage.pool.close() }
        let items = [item("0", by: "a", hasThumbnail: true), item("1", by: nil, hasThumbnail: true)]
        stage.showsPictures = false
        stage.play(items[0])
        stage.wantStills(items)
        want(stage, items)
        _ = run(stage, items[0], for: .seconds(2)) { _ in false }
        #expect(tried(stage) == [])
        stage.showsPictures = true
        let isMade = run(stage, items[0]) { !$0.avatars.isEmpty }
        #expect(isMade)
    }

    @Test func oldOnesMakeRoom() {
        let stage = stage { _ in .pixels(7) }
        defer { stage.pool.close() }
        let items = (0..<80).map { item("\($0)", by: "c\($0)") }
        stage.play(items[0])
        for index in stride(from: 0, to: 80, by: 4) {
            want(stage, items, current: index)
            let isMade = run(stage, items[0]) { $0.avatars.contains("file:///c\(index + 3).png") }
            #expect(isMade)
        }
        #expect(stage.avatars.count == AvatarMaker.most && pixel(stage, "c0") == nil && pixel(stage, "c79") == 7)
    }
}
