import Bytes
import Engagement
import Feeds
import Foundation
import HTTP
import Model
import Synchronization
import TestSupport
import Testing

@testable import App
@testable import Player
@testable import UI

/// Which values the loop passes on: from the page to players, library and sessions, and back.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct LoopEffectTests {
    private let server: FaultyServer

    init() throws { server = try FaultyServer() }

    /// With the second page in view, and its clip playing.
    private func stage(_ items: [Item] = LoopStage.items, library: Bool = false) throws -> LoopStage {
        let stage = try LoopStage(items, library: library)
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type("j")
        stage.run(for: .seconds(1))
        return stage
    }

    // MARK: Players

    @Test func settingsOfThePageReachThePlayers() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        let pool = stage.pool
        #expect(pool.settings.volume == 1 && pool.settings.speed == 1 && pool.settings.loop)
        #expect(pool.settings.surface?.fit == .auto && stage.state.playback.sound.isMissing)
        stage.loop.handle(Event.external(.setSpeed(2)))
        stage.loop.handle(Event.external(.setVolume(0.25)))
        #expect(pool.settings.volume == 0.25 && pool.settings.speed == 2 && pool.settings.loop)
        try stage.type("mAz")
        stage.settle()
        #expect(pool.settings.volume == 0 && pool.settings.speed == 2 && !pool.settings.loop)
        #expect(pool.settings.surface?.fit == .fill)
    }

    @Test func tuningIsThatOfTheClipInView() throws {
        let stage = try stage()
        defer { stage.close() }
        try stage.type(">>")
        stage.settle()
        #expect(stage.pool.tunings.keys.sorted() == ["b"])
        #expect(stage.pool.tunings["b"]?.audioDelay == .milliseconds(200))
    }

    @Test func seeksPreviewsAndStepsReachTheDecoder() throws {
        let seeks = Mutex<[String]>([])
        var decoder = ScriptedDecoder()
        decoder.duration = 20_000_000
        decoder.hears = { order in
            if case .seek(_, let time, let mode) = order { seeks.withLock { $0.append("\(mode) \(time)") } }
        }
        let stage = try LoopStage(decoder: decoder)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type(" ")
        stage.settle()
        seeks.withLock { $0 = [] }
        stage.loop.handle(Event.external(.seek(to: .seconds(7))))
        stage.settle()
        // Right previews five seconds on; without another key the clip seeks there.
        try stage.type("\u{1B}[C")
        stage.settle()
        stage.run(for: .milliseconds(400))
        #expect(seeks.withLock(\.self) == ["exact 7000000", "key 12000000", "exact 12000000"])
        try stage.type(",")
        stage.settle()
        #expect(seeks.withLock(\.last)?.hasPrefix("before ") == true)
    }

    /// The picture of the page that is left moves on while it can be seen.
    @Test func clipThatIsLeftStopsWhenItsPageHasSlidOut() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type("j")
        stage.step()
        let end = try #require(stage.state.pager.slideEnd)
        #expect(end > stage.now && stage.pool.players["a"]?.silentUntil == end)
        stage.run(for: .seconds(2))
        #expect(stage.pool.players["a"]?.playback.isWanted == false)
        #expect(stage.pool.players["b"]?.playback.isWanted == true)
    }

    @Test func eventsOfPlayersReachThePageInOrder() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        let size = PixelSize(width: 4, height: 3)
        let events = stage.loop.forPage([
            .report("b", .playing), .trace(.stall(item: "a")), .avatars(["https://h.example/a.jpg"]),
            .playback("a", .recovering(check: "hung", attempt: 1, why: "")), .seekStill("c", size),
            .notice("No audio device"),
        ])
        guard events.count == 4, case .player("b", .playing) = events[0], case .avatars(let addresses) = events[1],
            case .seekStill("c", let shown) = events[2], case .notice("No audio device", .remark) = events[3]
        else {
            Issue.record("\(events)")
            return
        }
        #expect(addresses == ["https://h.example/a.jpg"] && shown == size)
    }

    // MARK: What is saved

    /// Saving is what the player has last reported of the item, not of the one in view.
    @Test func savedClipIsThatOfItsItem() throws {
        var items = LoopStage.items
        items[2].duration = .seconds(77)
        let stage = try stage(items)
        defer { stage.close() }
        var tuning = ClipTuning()
        tuning.variant = 3
        _ = stage.pool.tune("b", tuning, now: stage.now)
        let clip = try #require(stage.loop.savedClip(of: "b"))
        #expect(clip.item == items[1] && clip.duration == .seconds(4) && clip.container == "script")
        #expect(clip.folder == .videos && clip.choice == Remux.Choice(variant: 3))
        stage.loop.state.clips["c"] = Clip(page: 2)
        let unopened = try #require(stage.loop.savedClip(of: "c"))
        #expect(unopened.duration == .seconds(77) && unopened.container == nil && unopened.folder == .videos)
        #expect(unopened.choice == Remux.Choice())
        #expect(stage.loop.savedClip(of: "z") == nil)
    }

    @Test(arguments: [
        (true, false, true, UserFolder.pictures), (true, false, false, .videos), (true, true, false, .videos),
        (false, true, false, .music), (false, false, false, .videos),
    ])
    func savedClipGoesToTheFolderOfItsKind(hasVideo: Bool, hasAudio: Bool, isStill: Bool, folder: UserFolder) throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        let facts = ClipFacts(
            duration: nil, isSeekable: true, hasVideo: hasVideo, hasAudio: hasAudio, isStill: isStill)
        stage.loop.handle(Event.player("a", .opened(facts)))
        #expect(stage.loop.savedClip(of: "a")?.folder == folder)
    }

    /// The clip has begun again: its timeline continues.
    @Test func savedFrameIsAtItsTimeInTheClip() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(6))
        try stage.type(" ")
        stage.settle()
        let frame = try #require(stage.loop.savedFrame(of: "a"))
        let picture = try #require(stage.pool.pictureIdentity(of: "a"))
        #expect(picture.pts > 4_000_000 && frame.time == picture.mediaTime && frame.time < .seconds(4))
        #expect(frame.item.id == "a" && frame.size == PixelSize(width: 64, height: 48))
        #expect(stage.loop.savedFrame(of: "z") == nil)
    }

    // MARK: The library

    @Test func reactionsAreStoredForTheItemInView() throws {
        var items = LoopStage.items
        items[1].stats = Item.Stats(likes: 5)
        let stage = try stage(items, library: true)
        defer { stage.close() }
        let at = stage.now
        try stage.type("l")
        stage.settle()
        try stage.type("k")
        stage.run(for: .seconds(1))
        try stage.type("s")
        stage.settle()
        #expect(stage.wait { stage.stored { try $0.entries(of: .saved, limit: 9).map(\.item.key.id) } == ["a"] })
        let liked = try #require(stage.stored { try $0.entries(of: .liked, limit: 9) })
        #expect(liked.map(\.item.key.id) == ["b"] && liked.map(\.at) == [at.seconds])
        // Lists of the library show the user's own like.
        #expect(liked.first?.item.json.contains(#""likes":6"#) == true)
    }

    /// In case flick is killed. The clip is longer than those that always restart.
    @Test func placeOfAPlayingClipIsStoredEveryTenSeconds() throws {
        var decoder = ScriptedDecoder()
        decoder.duration = 120_000_000
        let stage = try LoopStage(decoder: decoder, library: true)
        defer { stage.close() }
        stage.start()
        let key = ItemKey(LoopStage.items[0])
        func place() -> Duration? { stage.stored { try $0.memories(of: [key])[key]?.place } ?? nil }
        stage.run(for: .seconds(12))
        #expect(stage.wait { place() != nil })
        let first = place() ?? .zero
        #expect(first > .seconds(9) && first < .seconds(12))
        try stage.type(" ")
        stage.run(for: .seconds(20))
        let isLater = holds(within: .milliseconds(200)) { place() != first }
        #expect(!isLater)
    }

    /// The loop that ends leaves no request in flight, and no visit open.
    @Test func endOfTheLoopEndsDownloadsAndTheVisit() throws {
        server.serve("/a.vtt", .text(LoopStage.cues, faults: [.stall(after: 3)]))
        let stage = try stage(library: true)
        defer { stage.close() }
        stage.downloads.keep(server.item("a"), true)
        #expect(server.waitUntil { $0.answering == 1 })
        try stage.type("q")
        guard case .quit = stage.loop.run() else {
            Issue.record("the loop has ended otherwise")
            return
        }
        #expect(holds(within: .seconds(10)) { stage.downloads.isIdle })
        stage.loop.library.link?.close()
        let visits = stage.stored { try $0.events(limit: 99).filter { $0.event.what == "summary" }.map(\.item.id) }
        #expect(visits == ["a", "b"])
    }

    // MARK: The feed

    /// The feed took longer than the page waits for.
    @Test func feedThatIsReadLaterContinuesWhereItWasLeft() throws {
        let stage = try LoopStage(nil)
        defer { stage.close() }
        stage.start()
        func post(_ start: FeedStart, _ place: Duration) {
            var point = ReturnPoint()
            (point.start, point.places) = (start, ["e": place])
            let feed = Feed(title: "Later", items: LoopStage.items, source: "file:///clips")
            stage.inbox.post(.feed(.read(.source, .success((feed, point)))))
            stage.settle()
        }
        post(.resumed(2), .seconds(90))
        #expect(stage.state.current == 2 && stage.state.feed.title.text == "Later")
        #expect(stage.state.toasts.current?.text.text.hasPrefix("Resumed at 3 of 5") == true)
        #expect(stage.pool.leftPlaces["e"] == 90_000_000)
        // Reading it again moves nothing.
        post(.resumed(4), .seconds(30))
        #expect(stage.state.current == 2)
        #expect(stage.state.toasts.current?.text.text.hasPrefix("Resumed at 3 of 5") == true)
    }

    @Test func placesOfAnotherFeedReachThePlayers() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        stage.start()
        stage.loop.state.feed.places.want(.liked)
        var point = ReturnPoint()
        point.places = ["y": .seconds(90)]
        let items = ["x", "y", "z"].map { Item(id: $0, url: "file:///clips/\($0).mp4") }
        stage.inbox.post(.feed(.read(.liked, .success((Feed(title: nil, items: items, source: "x"), point)))))
        stage.settle()
        #expect(stage.state.feed.places.current == .liked && stage.pool.leftPlaces["y"] == 90_000_000)
    }

    @Test func downloadFetchesTheSubtitlesOfTheClipInView() throws {
        // The page reads the first ones itself, which it shows in place of the missing sound.
        let items = ["a", "b"].map { name in
            for file in ["\(name).vtt", "\(name)-2.vtt"] { server.serve("/\(file)", .text(LoopStage.cues)) }
            var item = server.item(name)
            item.captions.append(CaptionLink(url: server.url("/\(name)-2.vtt")))
            return item
        }
        let stage = try LoopStage(items, provider: CachedProvider(cache: nil, network: NetworkOptions()))
        defer { stage.close() }
        stage.start()
        try stage.type("j")
        stage.run(for: .seconds(1))
        #expect(server.requests(for: "/b-2.vtt").isEmpty)
        try stage.type("D")
        #expect(stage.wait { server.requests(for: "/b-2.vtt").count == 1 })
        #expect(server.requests(for: "/a-2.vtt").isEmpty)
    }

    // MARK: Warnings

    @Test(arguments: [1, 2]) func warningsOfTheConfigurationAreCounted(count: Int) throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        let lines = ["sise = 1", "agee = 2"].prefix(count).joined(separator: "\n")
        let setup = try Setup(
            config: stage.folder.write("other.toml", "[cache]\n\(lines)\n".utf8), cacheFolder: nil, keepsCache: false)
        #expect(setup.shortWarnings.count == count)
        stage.loop.warn(of: setup)
        let toast = try #require(stage.state.toasts.current)
        let first = "other.toml line 2: unknown key 'cache.sise'"
        #expect(toast.kind == .failure && toast.text.text.hasPrefix(count > 1 ? "2 warnings, first: \(first)" : first))
        let log = try String(contentsOfFile: stage.folder.path + "/flick.log", encoding: .utf8)
        #expect(log.components(separatedBy: "unknown key").count == count + 1)
    }
}
