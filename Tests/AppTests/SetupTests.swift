import Model
import TestSupport
import Testing
import UI

@testable import App
@testable import Feeds

@Suite struct SetupTests {
    private let folder = TemporaryFolder()

    private func setup(_ text: String) throws -> Setup {
        try Setup(
            config: folder.write("config.toml", text.utf8), cacheFolder: folder.path + "/cache", keepsCache: true)
    }

    private func browse(
        _ setup: Setup, sources: [String] = [], surface: Automatic<PictureMode>? = nil, fit: PictureFit? = nil,
        loop: Bool? = nil, reducedMotion: Bool? = nil, plain: Bool? = nil, sleep: Duration? = nil,
        firstPlace: StartPlace? = nil
    ) -> BrowseSettings {
        BrowseSettings(
            sources: sources, pictureMode: surface, color: nil, output: nil, fit: fit, fps: nil, muted: false,
            audio: true,
            start: 0,
            shuffle: false, order: nil, loop: loop, autoAdvance: false, reducedMotion: reducedMotion, plain: plain,
            sleep: sleep, firstPlace: firstPlace, report: ReportSettings(stateFolder: folder.path), setup: setup)
    }

    @Test func theConfigurationAppliesWithoutOptions() throws {
        let setup = try setup(
            "home.sources=['/a','/b']\n[playback]\nvolume=50\nloop=false\nfit='fit'\n[interface]\nsurface='ascii'\ncolor='mono'\nreduced_motion=true\nplain=true"
        )
        let settings = browse(setup)
        #expect(settings.sources.map(\.text) == ["/a", "/b"] && settings.isHome)
        #expect(settings.volume == 0.5 && !settings.loop && settings.fit == .fit && settings.reducedMotion)
        #expect(settings.pictureMode == .ascii && settings.color == .mono && settings.plain)
    }

    @Test func theCommandLineWins() throws {
        let setup = try setup(
            "home.sources=['/a']\n[playback]\nloop=false\nfit='fit'\n[interface]\nsurface='ascii'\nreduced_motion=true\nplain=true"
        )
        let settings = browse(
            setup, sources: ["/c"], surface: Automatic("auto"), fit: .fill, loop: true, reducedMotion: false,
            plain: false)
        #expect(settings.sources.map(\.text) == ["/c"] && !settings.isHome)
        #expect(settings.pictureMode == nil && settings.loop && settings.fit == .fill && !settings.reducedMotion)
        #expect(!settings.plain)
    }

    @Test func withoutOptionAndConfigurationTheDefaultsApply() throws {
        let settings = browse(try setup(""))
        #expect(settings.sources.isEmpty && !settings.isHome)
        #expect(settings.loop && settings.fit == .auto && settings.volume == 1 && !settings.reducedMotion)
        #expect(settings.pictureMode == nil && settings.color == nil)
    }

    @Test func theCacheIsAsConfigured() throws {
        let cache = try #require(try setup("[cache]\nsize='2MB'\nlow_water=0.5\nage='1d'\nsave_every='off'").cache)
        #expect(cache.folder == folder.path + "/cache" && cache.limit == 2 << 20 && cache.lowWater == 0.5)
        #expect(cache.age == .seconds(86_400) && cache.savesAtEnd && cache.key == nil)
        let path = folder.path + "/config.toml"
        #expect(try Setup(config: path, cacheFolder: nil, keepsCache: false).cache == nil)
    }

    @Test func aRemarkThatStopsNothingIsAWarningOfOneLine() throws {
        let setup = try setup("[cache]\nsise = 1\n[prefetch]\nahead = 1")
        let words = "config.toml line 2: unknown key 'cache.sise'; did you mean cache.size?"
        #expect(setup.warnings == ["\(folder.path)/\(words)"])
        #expect(setup.shortWarnings == [words])
    }

    // MARK: From the command line

    private static let configured = """
        [playback]
        volume = 50
        fit = 'fit'
        sleep = '30m'
        [interface]
        surface = 'ascii'
        color = 'mono'
        output = 'direct'
        theme = 'dark'
        [subtitles]
        charset = 'Shift_JIS'
        """

    @Test func everyOptionReplacesTheConfiguration() throws {
        let settings = BrowseSettings(
            sources: ["/c"], pictureMode: Automatic("braille"), color: Automatic("16"), output: Automatic("ncurses"),
            fit: .fill, fps: 24, link: 5_000, muted: true, audio: false, start: 4, shuffle: true, order: .oldest,
            loop: false, autoAdvance: true, reducedMotion: true, plain: true,
            subtitleCharset: SubtitleCharset("cp1250"), subtitleFile: "s.vtt", volume: 0.25, speed: 1.5,
            sleep: .seconds(60), theme: Automatic("light"), dataSaver: true, report: ReportSettings(trace: "/t"),
            setup: try setup(Self.configured))
        #expect(settings.pictureMode == .braille && settings.color == .palette16 && settings.output == .ncurses)
        #expect(settings.theme == .light && settings.chosenTheme?.choice == .light && settings.fit == .fill)
        #expect(settings.fps == 24 && settings.link == 5_000)
        #expect(settings.start == 4 && settings.order == .oldest)
        #expect(settings.muted && !settings.audio && settings.shuffle && !settings.loop && settings.autoAdvance)
        #expect(settings.reducedMotion && settings.plain)
        #expect(settings.subtitleCharset.name == "cp1250" && settings.subtitleFile == "s.vtt")
        #expect(settings.volume == 0.25 && settings.speed == 1.5 && settings.sleep == .seconds(60))
        #expect(settings.setup.configuration.playback.savesData && settings.report.trace == "/t")
    }

    @Test func configurationReplacesMissingOptions() throws {
        let settings = browse(try setup(Self.configured))
        #expect(settings.output == .direct && settings.theme == .dark && settings.chosenTheme == nil)
        #expect(settings.subtitleCharset.name == "Shift_JIS" && settings.sleep == .seconds(1_800))
        #expect(settings.speed == 1 && settings.volume == 0.5)
        #expect(!settings.setup.configuration.playback.savesData)
    }

    @Test func noSleepOnTheCommandLineTurnsTheConfiguredOneOff() throws {
        #expect(try browse(setup(Self.configured), sleep: .zero).sleep == nil)
        #expect(try browse(setup("")).sleep == nil)
    }

    @Test func previewHasItsOptionsOrTheConfiguration() throws {
        let setup = try setup(Self.configured)
        func preview(
            _ mode: Automatic<PictureMode>?, _ color: Automatic<ColorMode>?, _ fit: PictureFit?
        ) -> PreviewSettings {
            PreviewSettings(
                media: "a.mp4", at: .seconds(3), size: GridSize(columns: 20, rows: 10), video: true, untimed: false,
                exact: true, pictureMode: mode, color: color, fit: fit, fps: 12, report: ReportSettings(), setup: setup)
        }
        let configured = preview(nil, nil, nil)
        #expect(configured.pictureMode == .ascii && configured.color == .mono && configured.fit == .fit)
        let chosen = preview(Automatic("auto"), Automatic("256"), .fill)
        #expect(chosen.pictureMode == nil && chosen.color == .palette256 && chosen.fit == .fill)
        #expect(chosen.media == "a.mp4" && chosen.at == .seconds(3) && chosen.fps == 12)
        #expect(chosen.video && !chosen.untimed && chosen.exact && chosen.size == GridSize(columns: 20, rows: 10))
    }

    // MARK: Places

    @Test func placesAreThoseOfTheConfiguration() throws {
        func places(_ text: String) throws -> [Place] { try browse(setup(text), sources: ["/c"]).places().all }
        let library: [Place] = [.following, .liked, .saved, .history, .offline, .hidden]
        #expect(try places("") == [.source, .forYou] + library)
        #expect(try places("home.sources = ['/a']") == [.source, .home, .forYou] + library)
        #expect(try places("for_you.enabled = false") == [.source] + library)
        #expect(try places("engagement.remember = false") == [.source])
        let path = try folder.write("config.toml", "".utf8)
        let uncached = try Setup(config: path, cacheFolder: nil, keepsCache: false)
        let all = try browse(uncached, sources: ["/c"]).places().all
        #expect(all == [.source, .forYou] + library.filter { $0 != .offline })
    }

    @Test func sessionBeginsAtTheChosenPlace() throws {
        let setup = try setup("home.sources = ['/a']")
        func first(_ name: String) throws -> Place {
            try browse(setup, sources: ["/c"], firstPlace: StartPlace(name)).places().first
        }
        #expect(try first("library") == .history && first("saved") == .saved && first("for-you") == .forYou)
        #expect(try browse(setup, sources: ["/c"]).places().first == .source && browse(setup).places().first == .home)
        #expect(StartPlace("source") == nil && StartPlace("offline")?.place == .offline)
    }

    @Test func nothingIsStoredWithoutMemory() throws {
        let settings = browse(try setup(""))
        #expect(settings.libraryPath == folder.path + "/flick.db")
        #expect(settings.memoryPath == folder.path + "/page.json")
        let other = browse(try setup("engagement.remember = false"))
        #expect(other.libraryPath == nil && other.memoryPath == nil)
    }

    // MARK: What is made of the configuration

    @Test func feedsAreReadAsConfigured() throws {
        let text = """
            feed.sensitive = 'skip'
            playback.data_saver = true
            network.private_hosts = 'never'
            network.rewrite = [{ from = 'http://a/', to = 'http://b/' }]
            """
        let options = try setup(text).feedOptions(shuffle: 7, order: .oldest, limit: 3)
        #expect(options.shuffle == 7 && options.order == .oldest && options.limit == 3)
        #expect(options.skipsSensitive && options.privateHosts == .never)
        #expect(options.need == MediaNeed(savesData: true))
        #expect(options.rewrites == [URLRewriter.Rule(from: "http://a/", to: "http://b/")])
        // What is covered is in the feed.
        let usual = try setup("feed.sensitive = 'cover'").feedOptions()
        #expect(!usual.skipsSensitive && usual.privateHosts == .sameOrigin && usual.need == MediaNeed())
        #expect(usual.shuffle == nil && usual.order == nil && usual.limit == nil && usual.rewrites.isEmpty)
    }

    @Test func agesOfClipsAndFeedsAreSeparate() throws {
        let cache = try #require(try setup("[cache]\nage='3d'\nfeed_age='2d'\nsave_every='256KB'").cache)
        #expect(cache.age == .seconds(3 * 86_400) && cache.feedAge == .seconds(2 * 86_400))
        #expect(cache.pieceSize == 256 << 10 && !cache.savesAtEnd)
    }

    /// `flick doctor` lists them.
    @Test func notesAreNoWarnings() throws {
        let setup = try setup("[keys]\nlike = ['d']")
        #expect(setup.warnings.isEmpty && setup.shortWarnings.isEmpty)
    }

    @Test func mistakesInTheListOfSourcesAreWarnings() throws {
        try folder.write("config.toml.sources", "/b\nweight = 50\n".utf8)
        let setup = try setup("home.sources = ['/a']")
        let words = "config.toml.sources line 2: the weight is 50; expected a number from 0.1 to 10"
        #expect(setup.warnings == ["\(folder.path)/\(words)"] && setup.shortWarnings == [words])
        #expect(setup.homeSources == [FeedSource("/a"), FeedSource("/b")])
    }
}
