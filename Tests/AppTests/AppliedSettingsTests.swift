import Model
import Player
import Screen
import TerminalInput
import TestSupport
import Testing
import UI

@testable import App

/// What the page and the players are given of command line, configuration and terminal. Each value differs from its
/// default, and from those beside it.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct AppliedSettingsTests {
    private let folder = TemporaryFolder()

    private func settings(
        start: Int? = nil, reducedMotion: Bool = false, plain: Bool = false, subtitleFile: String? = nil,
        theme: Automatic<Theme.Name>? = nil, _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> BrowseSettings {
        var setup = try Setup(config: folder.write("config.toml"), cacheFolder: nil, keepsCache: false)
        change(&setup.configuration)
        return BrowseSettings(
            sources: [], pictureMode: nil, color: nil, output: nil, fit: .fill, fps: nil, muted: true, audio: false,
            start: start, shuffle: false, order: nil, loop: false, autoAdvance: true, reducedMotion: reducedMotion,
            plain: plain, subtitleFile: subtitleFile, volume: 0.25, speed: 1.5, sleep: .seconds(1_800), theme: theme,
            report: ReportSettings(stateFolder: folder.path), setup: setup)
    }

    private func options(_ settings: BrowseSettings, on stage: LoopStage, from point: ReturnPoint? = nil) -> Options {
        Options(settings, at: .source, from: point, terminal: stage.terminal)
    }

    // MARK: The page

    @Test func pageHasWhatWasChosen() throws {
        let stage = try LoopStage(answers: false, pictureMode: .ascii, color: .palette16)
        defer { stage.close() }
        let keys: [Action: [Key]] = [.next: [.character("n")]]
        let settings = try settings(start: 3) { configuration in
            configuration.interface.hasGate = true
            configuration.interface.copiesSecrets = true
            configuration.interface.clickDelay = .milliseconds(400)
            configuration.playback.savesData = true
            configuration.playback.seekStep = .seconds(7)
            configuration.subtitles.show = .off
            configuration.subtitles.languages = ["cs"]
            configuration.keys = keys
            configuration.prefetch.isAdaptive = false
            (configuration.prefetch.ahead, configuration.prefetch.behind) = (9, 2)
        }
        let options = options(settings, on: stage)
        #expect(options.color == .palette16 && options.pictureMode == .ascii && !options.knowsCellAspect)
        #expect(options.hasGate && options.copiesSecrets && options.savesData)
        #expect(options.doubleClick == .milliseconds(400) && options.seekStep == .seconds(7))
        #expect(options.subtitles.show == .off && options.subtitles.languages == ["cs"])
        #expect(!options.loop && options.autoAdvance && options.isMuted && options.fit == .fill)
        #expect(options.volume == 0.25 && options.speed == 1.5 && options.sleepAfter == .seconds(1_800))
        #expect(options.keys == KeyMap(changing: keys) && options.keys != .standard)
        #expect(options.warmAhead == 9 && options.warmBehind == 2 && options.startIndex == 3)
        #expect(!options.isPlain && !options.reducedMotion)
    }

    @Test func switchesThatAreOffAreOffOnThePage() throws {
        let stage = try LoopStage(answers: false)
        defer { stage.close() }
        let options = options(try settings(), on: stage)
        #expect(!options.hasGate && !options.copiesSecrets && !options.savesData)
        // One and a half times as many, for a user who turns pages slowly.
        #expect(options.warmAhead == 9 && options.warmBehind == 6)
    }

    @Test func plainModeReducesMotion() throws {
        let stage = try LoopStage(answers: false)
        defer { stage.close() }
        let plain = options(try settings(plain: true), on: stage)
        #expect(plain.isPlain && plain.reducedMotion)
        let reduced = options(try settings(reducedMotion: true), on: stage)
        #expect(!reduced.isPlain && reduced.reducedMotion)
    }

    @Test(arguments: [(SensitiveMedia.cover, true), (.show, false), (.skip, true)])
    func sensitiveClipsAreCoveredUnlessShown(_ sensitive: SensitiveMedia, _ areCovered: Bool) throws {
        let stage = try LoopStage(answers: false)
        defer { stage.close() }
        let settings = try settings { $0.feed.sensitive = sensitive }
        #expect(options(settings, on: stage).coversSensitive == areCovered)
    }

    @Test func fileOfSubtitlesIsShown() throws {
        let stage = try LoopStage(answers: false)
        defer { stage.close() }
        let settings = try settings(subtitleFile: "/a.srt") { $0.subtitles.show = .off }
        #expect(options(settings, on: stage).subtitles.show == .on)
    }

    @Test func namedPageComesBeforeTheOneThatWasLeft() throws {
        var (resumed, new) = (ReturnPoint(), ReturnPoint())
        (resumed.start, new.start) = (.resumed(5), .new(4))
        let (named, unnamed) = (try settings(start: 3), try settings())
        #expect(named.startIndex(from: resumed) == 3 && unnamed.startIndex(from: resumed) == 5)
        #expect(unnamed.startIndex(from: new) == 0 && unnamed.startIndex(from: nil) == 0)
    }

    @Test func themeSuitsTheBackgroundUnlessChosen() throws {
        let stage = try LoopStage(answers: false)
        defer { stage.close() }
        var (light, dark) = (stage.terminal.capabilities, stage.terminal.capabilities)
        (light.background, dark.background) = (RGB.white, RGB.black)
        let chosen = try settings(theme: Automatic("high-contrast"))
        #expect(try settings().theme(on: light) == .light)
        #expect(try settings().theme(on: dark) == .dark)
        #expect(chosen.theme(on: light) == .highContrast && options(chosen, on: stage).theme == .highContrast)
    }

    // MARK: The players

    @Test func playersHaveWhatWasChosen() throws {
        let settings = try settings { configuration in
            configuration.sound.languages = ["sv", "en"]
            configuration.sound.level = -20
            configuration.playback.resumeOver = .seconds(90)
            configuration.prefetch.ahead = 9
            configuration.prefetch.behind = 2
            configuration.prefetch.concurrent = 3
            configuration.prefetch.buffer = .seconds(5)
            configuration.prefetch.bitrate = 500_000
            configuration.prefetch.isAdaptive = false
        }
        let options = PlayerPool.Options(settings, decoderPath: "/bin/decoder")
        #expect(options.decoderPath == "/bin/decoder" && !options.loop && !options.audio)
        #expect(options.soundLanguages == ["sv", "en"] && options.soundLevel == -20)
        #expect(options.resumesOver == .seconds(90))
        let prefetch = options.prefetch
        #expect(prefetch.ahead == 9 && prefetch.behind == 2 && prefetch.concurrent == 3 && !prefetch.isAdaptive)
        #expect(prefetch.buffer == .seconds(5) && prefetch.bitrate == 500_000)
    }
}
