import Model
import TestSupport
import Testing

@testable import App

@Suite struct SetupTests {
    private let folder = TemporaryFolder()

    private func setup(_ text: String) throws -> Setup {
        try Setup(
            config: folder.write("config.toml", text.utf8), cacheFolder: folder.path + "/cache", keepsCache: true)
    }

    private func browse(
        _ setup: Setup, sources: [String] = [], surface: Automatic<PictureMode>? = nil, fit: PictureFit? = nil,
        loop: Bool? = nil, reducedMotion: Bool? = nil, plain: Bool? = nil
    ) -> BrowseSettings {
        BrowseSettings(
            sources: sources, pictureMode: surface, color: nil, output: nil, fit: fit, fps: nil, muted: false,
            audio: true,
            start: 0,
            shuffle: false, order: nil, loop: loop, autoAdvance: false, reducedMotion: reducedMotion, plain: plain,
            report: ReportSettings(),
            setup: setup)
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
}
