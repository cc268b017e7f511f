import Model
import TestSupport
import Testing
import UI

@testable import App

@Suite struct PageMemoryTests {
    private let folder = TemporaryFolder()

    private static var all: PageMemory {
        var memory = PageMemory()
        memory.volume = 0.35
        memory.isMuted = true
        memory.speed = 1.25
        memory.fit = .fill
        memory.theme = .highContrast
        return memory
    }

    @Test func writtenMemoryIsReadBack() throws {
        let path = try folder.write(PageMemory.fileName, Self.all.json.utf8)
        #expect(PageMemory(at: path) == Self.all)
        #expect(PageMemory(json: Array(PageMemory().json.utf8)) == PageMemory())
    }

    @Test(arguments: [
        "", "[", "[]", #"{"volume": 2, "muted": "maybe", "speed": 0, "fit": "wide", "theme": 7}"#, #"{"speed": 1e400}"#,
    ])
    func rejectsInvalidMemory(text: String) { #expect(PageMemory(json: Array(text.utf8)) == PageMemory()) }

    @Test func withoutAFileNothingIsRemembered() {
        #expect(PageMemory(at: nil) == PageMemory() && PageMemory(at: folder.path + "/none") == PageMemory())
    }

    /// `--mute` once does not mute for ever.
    @Test func onlyChangesAreRemembered() {
        var (start, end) = (Self.all, Self.all)
        var memory = PageMemory()
        memory.note(from: start, to: end)
        #expect(memory == PageMemory())
        (start.speed, end.speed, end.volume) = (1, 2, 0.5)
        memory.note(from: start, to: end)
        #expect(memory.json == "{\"volume\":0.5,\"speed\":2}\n")
    }

    @Test func eachSettingIsRememberedOnlyIfItWasChanged() {
        var (end, memory) = (Self.all, PageMemory())
        (end.isMuted, end.fit, end.theme) = (false, .fit, .light)
        memory.note(from: Self.all, to: end)
        // No key changes the theme.
        #expect(memory.json == #"{"muted":false,"fit":"fit"}"# + "\n")
        end = Self.all
        (end.volume, end.speed) = (0, 0.25)
        memory.note(from: Self.all, to: end)
        #expect(memory.json == #"{"volume":0,"muted":false,"speed":0.25,"fit":"fit"}"# + "\n")
        #expect(PageMemory(json: Array(memory.json.utf8)) == memory)
    }

    @Test func valuesAreReadUpToTheirBounds() {
        func memory(_ text: String) -> PageMemory { PageMemory(json: Array(text.utf8)) }
        #expect(memory(#"{"volume":1,"speed":4}"#).volume == 1 && memory(#"{"volume":1,"speed":4}"#).speed == 4)
        #expect(memory(#"{"volume":1.01,"speed":4.01}"#) == PageMemory())
        #expect(memory(#"{"volume":-0.01,"speed":0.24}"#) == PageMemory())
    }

    @Test func memoryOfThePageIsHowItIsSet() {
        var options = Options()
        (options.volume, options.isMuted, options.speed, options.fit) = (0.3, true, 1.5, .fill)
        let item = Item(id: "a", url: "file:///a.mp4")
        let memory = PageMemory(State(size: GridSize(columns: 80, rows: 24), items: [item], options: options))
        #expect(memory.volume == 0.3 && memory.isMuted == true && memory.speed == 1.5 && memory.fit == .fill)
        #expect(memory.theme == nil)
    }

    @Test func everyOptionWinsOverMemory() throws {
        let setup = try Setup(config: folder.write("c.toml", "".utf8), cacheFolder: folder.path, keepsCache: true)
        var memory = Self.all
        memory.isMuted = false
        let settings = BrowseSettings(
            sources: ["/a"], pictureMode: nil, color: nil, output: nil, fit: .fit, fps: nil, muted: true, audio: true,
            start: nil, shuffle: false, order: nil, loop: nil, autoAdvance: false, reducedMotion: nil, speed: 0.5,
            theme: Automatic("light"), report: ReportSettings(), setup: setup
        ).remembering(memory)
        #expect(settings.muted && settings.speed == 0.5 && settings.fit == .fit && settings.theme == .light)
        #expect(settings.volume == 0.35)
    }

    @Test func theCommandLineWinsOverMemoryAndMemoryOverTheConfiguration() throws {
        let setup = try Setup(
            config: folder.write(
                "config.toml", "[playback]\nvolume = 80\nfit = \"fit\"\n[interface]\ntheme = \"light\"\n".utf8),
            cacheFolder: folder.path, keepsCache: true)
        func settings(_ memory: PageMemory) -> BrowseSettings {
            BrowseSettings(
                sources: ["/a"], pictureMode: nil, color: nil, output: nil, fit: nil, fps: nil, muted: false,
                audio: true,
                start: nil, shuffle: false, order: nil, loop: nil, autoAdvance: false, reducedMotion: nil,
                volume: 0.1, report: ReportSettings(), setup: setup
            ).remembering(memory)
        }
        let plain = settings(PageMemory())
        #expect(plain.volume == 0.1 && !plain.muted && plain.speed == 1 && plain.fit == .fit && plain.theme == .light)
        let remembering = settings(Self.all)
        #expect(remembering.volume == 0.1 && remembering.muted && remembering.speed == 1.25)
        #expect(remembering.fit == .fill && remembering.theme == .highContrast)
    }
}
