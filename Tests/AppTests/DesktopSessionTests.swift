import Model
import Synchronization
import TestSupport
import Testing

@testable import App
@testable import Player
@testable import UI

@MainActor @Suite(.serialized) struct DesktopSessionTests {
    private func session(
        _ stage: LoopStage, _ settings: Configuration.Desktop = .off
    ) throws -> DesktopSession {
        let journal = try Journal(
            ReportSettings(stateFolder: stage.folder.path), file: LogFile(path: stage.folder.path + "/desktop.log"),
            clock: ProcessClock())
        return DesktopSession(settings, inbox: stage.inbox, journal: journal)
    }

    /// It neither plays nor can be paused.
    @Test func clipThatFailedOrEndedCountsAsPaused() throws {
        for report in [PlayerReport.failed("damaged"), .ended] {
            let stage = try LoopStage()
            defer { stage.close() }
            stage.start()
            stage.run(for: .seconds(1))
            let session = try session(stage)
            #expect(!session.playing(stage.state, now: stage.now).isPaused)
            stage.loop.handle(Event.player("a", report))
            let playing = session.playing(stage.state, now: stage.now)
            #expect(playing.isPaused && !playing.isMoving)
        }
    }

    /// Until the user asks to see it.
    @Test func otherProgramsDoNotGetTheImageOfASensitiveClip() throws {
        var item = LoopStage.items[0]
        (item.isSensitive, item.thumbnail) = (true, "https://h.example/a.jpg")
        let stage = try LoopStage([item])
        defer { stage.close() }
        stage.start()
        let session = try session(stage)
        for (hides, image) in [(true, nil), (false, "https://h.example/a.jpg")] {
            stage.loop.state.options.coversSensitive = hides
            #expect(session.playing(stage.state, now: .zero).artwork == image)
        }
    }

    // MARK: What is shown

    /// Clips of which the second one has all that a feed can name.
    private static var items: [Item] {
        var items = LoopStage.items
        items[1].creator = Item.Creator(id: "c", name: "Mira")
        items[1].link = "https://me:pass@h.example/b?token=secret&page=2"
        items[1].thumbnail = "https://h.example/b.jpg"
        return items
    }

    @Test func otherProgramsSeeThePageInView() throws {
        let stage = try LoopStage(Self.items)
        defer { stage.close() }
        stage.start()
        let session = try session(stage)
        let first = session.playing(stage.state, now: stage.now)
        #expect(first.track == 1 && first.page == 1 && first.pages == 5 && first.title == "Title-a")
        #expect(first.creator == nil && first.artwork == nil && first.url == "file:///clips/a.mp4" && !first.isLiked)
        try stage.type("jl")
        stage.run(for: .seconds(2))
        let playing = session.playing(stage.state, now: stage.now)
        #expect(playing.track == 2 && playing.page == 2 && playing.pages == 5 && playing.title == "Title-b")
        #expect(playing.creator == "Mira" && playing.artwork == "https://h.example/b.jpg" && playing.isLiked)
        #expect(playing.url == "https://h.example/b?page=2")
        #expect(playing.isMoving && !playing.isPaused && playing.isSeekable && playing.duration == .seconds(4))
        #expect(playing.position > .seconds(1) && playing.position == stage.state.shownPosition(now: stage.now))
        #expect(playing.place == stage.state.feed.places.current.name)
    }

    @Test func settingsOfThePageAreShown() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        let session = try session(stage)
        stage.loop.handle(Event.external(.setVolume(0.25)))
        stage.loop.handle(Event.external(.setSpeed(2)))
        try stage.type(" ")
        stage.settle()
        var playing = session.playing(stage.state, now: stage.now)
        #expect(playing.volume == 0.25 && playing.speed == 2 && !playing.isMuted)
        #expect(playing.isPaused && !playing.isMoving)
        try stage.type("m")
        stage.settle()
        playing = session.playing(stage.state, now: stage.now)
        #expect(playing.volume == 0.25 && playing.isMuted)
    }

    /// It counts items that come into view, not what is said of them.
    @Test func trackChangesWithTheItem() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        let session = try session(stage)
        var tracks: [Int] = []
        for key in ["", "l", "j", "s", "k"] {
            if !key.isEmpty { try stage.type(key) }
            stage.run(for: .seconds(1))
            tracks.append(session.playing(stage.state, now: stage.now).track)
        }
        #expect(tracks == [1, 1, 2, 2, 3])
    }

    @Test func emptyFeedHasNoTrack() throws {
        let stage = try LoopStage([])
        defer { stage.close() }
        stage.start()
        let playing = try session(stage).playing(stage.state, now: stage.now)
        #expect(playing.track == 0 && playing.page == 0 && playing.pages == 0 && playing.title == nil)
    }

    @Test(
        arguments: [
            ("https://h.example/a.jpg", true), ("file:///a.jpg", true), ("data:image/png,x", false),
            ("ftp://h.example/a.jpg", false), ("", false),
        ])
    func artworkIsAnAddressThatOthersCanRead(address: String, isShown: Bool) throws {
        var item = LoopStage.items[0]
        item.thumbnail = address
        let stage = try LoopStage([item])
        defer { stage.close() }
        stage.start()
        let session = try session(stage)
        #expect(session.playing(stage.state, now: stage.now).artwork == (isShown ? address : nil))
    }

    @Test func unseekableClipCannotBeSoughtByOthers() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        let session = try session(stage)
        #expect(session.playing(stage.state, now: stage.now).isSeekable)
        let facts = ClipFacts(duration: .seconds(4), isSeekable: false, hasVideo: true, hasAudio: true)
        stage.loop.handle(Event.player("a", .opened(facts)))
        #expect(!session.playing(stage.state, now: stage.now).isSeekable)
    }

    // MARK: Beginning

    @Test func sessionBeginsAfterItsPatienceWithoutAFrame() throws {
        let stage = try LoopStage(nil)
        defer { stage.close() }
        stage.start()
        let off = try session(stage)
        #expect(off.nextWake == nil)
        var settings = Configuration.Desktop.off
        settings.inhibitsSleep = true
        let waiting = try session(stage, settings)
        defer { waiting.close() }
        waiting.advance(stage.state, now: .milliseconds(1_999))
        #expect(waiting.nextWake == .seconds(2))
        waiting.advance(stage.state, now: .seconds(2))
        #expect(waiting.nextWake == nil)
    }

    /// The clip is paused, so that the machine may sleep.
    @Test func sessionBeginsWithTheFirstFrame() throws {
        let stage = try LoopStage.resting()
        defer { stage.close() }
        var settings = Configuration.Desktop.off
        settings.inhibitsSleep = true
        let session = try session(stage, settings)
        defer { session.close() }
        #expect(stage.state.clip.isRendering && session.nextWake == .seconds(2))
        session.advance(stage.state, now: .milliseconds(500))
        #expect(session.nextWake == nil)
    }

    // MARK: Commands

    @Test func commandsAreActionsOfThePage() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        let (state, now) = (stage.state, stage.now)
        #expect(ExternalCommand.commands(for: .next, on: state, now: now) == [.action(.next)])
        #expect(ExternalCommand.commands(for: .previous, on: state, now: now) == [.action(.previous)])
        #expect(ExternalCommand.commands(for: .like, on: state, now: now) == [.action(.like)])
        #expect(ExternalCommand.commands(for: .quit, on: state, now: now) == [.action(.quit)])
        #expect(ExternalCommand.commands(for: .playPause, on: state, now: now) == [.togglePlay])
        #expect(ExternalCommand.commands(for: .play, on: state, now: now) == [.play(true)])
        #expect(ExternalCommand.commands(for: .pause, on: state, now: now) == [.play(false)])
        #expect(ExternalCommand.commands(for: .stop, on: state, now: now) == [.play(false), .seek(to: .zero)])
        let time = Duration.seconds(3)
        #expect(ExternalCommand.commands(for: .seekTo(time), on: state, now: now) == [.seek(to: time)])
        #expect(ExternalCommand.commands(for: .setVolume(0.5), on: state, now: now) == [.setVolume(0.5)])
        #expect(ExternalCommand.commands(for: .setSpeed(2), on: state, now: now) == [.setSpeed(2)])
        #expect(ExternalCommand.commands(for: .status, on: state, now: now).isEmpty)
    }

    /// As media players do (MPRIS, Seek).
    @Test func seekBeyondTheEndIsTheNextClip() throws {
        let stage = try LoopStage()
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        let (state, now) = (stage.state, stage.now)
        let position = state.shownPosition(now: now)
        let duration = try #require(state.clip.duration)
        let second = Duration.seconds(1)
        #expect(position > .zero && duration == .seconds(4))
        func seek(by distance: Duration) -> [ExternalCommand] {
            ExternalCommand.commands(for: .seek(by: distance), on: state, now: now)
        }
        #expect(seek(by: second) == [.seek(to: position + second)])
        #expect(seek(by: .zero - second) == [.seek(to: position - second)])
        #expect(seek(by: duration - position) == [.seek(to: duration)])
        #expect(seek(by: duration) == [.action(.next)])
    }

    /// Programs that ask for something get the page as it is then.
    @Test func requestIsAnsweredAfterItsCommand() throws {
        let stage = try LoopStage(Self.items)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        let answers = Mutex<[String]>([])
        let note: @Sendable (String) -> Void = { answer in answers.withLock { $0.append(answer) } }
        stage.inbox.post(.desktop(.init(.status) { note("\($0.page) \($0.isPaused) \($0.volume)") }))
        stage.inbox.post(.desktop(.init(.next) { note("\($0.page) \($0.title ?? "") \($0.isLiked)") }))
        stage.inbox.post(.desktop(.init(.like) { note("\($0.page) \($0.title ?? "") \($0.isLiked)") }))
        stage.inbox.post(.desktop(.init(.setVolume(0.25)) { note("\($0.page) \($0.isPaused) \($0.volume)") }))
        stage.inbox.post(.desktop(.init(.stop) { note("\($0.page) \($0.isPaused) \($0.position.seconds)") }))
        stage.step()
        #expect(
            answers.withLock(\.self) == [
                "1 false 1.0", "2 Title-b false", "2 Title-b true", "2 false 0.25", "2 true 0.0",
            ])
        #expect(stage.pool.settings.volume == 0.25)
    }
}
