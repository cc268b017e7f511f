import Bytes
import Feeds
import Foundation
import HTTP
import Model
import TestSupport
import Testing

@testable import App

@Suite struct ConfigTests {
    /// The remarks on a configuration, as `flick doctor` and the shell print them.
    private func remarks(_ text: String) -> [String] {
        ConfigReader(Array(text.utf8)).remarks.map { $0.text(of: "config.toml") }
    }

    @Test func everyKeyIsRead() {
        let reader = ConfigReader(
            Array(
                """
                [home]
                sources = ["~/Videos", "https://example.org/feed.json"]
                [playback]
                volume = 80
                loop = false
                fit = "fit"
                resume_over = "2m"
                [cache]
                size = "1GB"
                low_water = 0.5
                age = "30d"
                save_every = "256KB"
                encrypt = true
                key = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"
                key_file = "key"
                [prefetch]
                ahead = 3
                behind = 2
                concurrent = 1
                buffer = 1.5
                bitrate = "1.5M"
                adaptive = false
                [interface]
                surface = "ascii"
                color = 256
                output = "ncurses"
                reduced_motion = true
                theme = "high-contrast"
                gate = true
                copy_secrets = true
                [network]
                proxy = "http://proxy.example:3128"
                user_agent = "me/1"
                timeouts = { connect = 5, first_byte = "7s", stall = 0.5 }
                private_hosts = "never"
                rewrite = [{ from = "http://old/", to = "https://new/" }, { from = "s3://b/", to = "https://c/" }]
                [keys]
                next = ["down", "j"]
                """.utf8))
        var wanted = Configuration()
        wanted.home.sources = ["~/Videos", "https://example.org/feed.json"]
        wanted.playback.volume = 0.8
        wanted.playback.loop = false
        wanted.playback.fit = .fit
        wanted.playback.resumeOver = .seconds(120)
        wanted.cache.size = 1 << 30
        wanted.cache.lowWater = 0.5
        wanted.cache.age = .seconds(30 * 86_400)
        wanted.cache.saveEvery = .bytes(262_144)
        wanted.cache.encrypts = true
        wanted.cache.key = Array(0..<32)
        wanted.cache.keyFile = "key"
        wanted.prefetch.ahead = 3
        wanted.prefetch.behind = 2
        wanted.prefetch.concurrent = 1
        wanted.prefetch.buffer = .milliseconds(1_500)
        wanted.prefetch.bitrate = 1_500_000
        wanted.prefetch.isAdaptive = false
        wanted.interface.surface.choice = .ascii
        wanted.interface.color.choice = .palette256
        wanted.interface.output.choice = .ncurses
        wanted.interface.reducedMotion = true
        wanted.interface.theme.choice = .highContrast
        wanted.interface.hasGate = true
        wanted.interface.copiesSecrets = true
        wanted.keys = [.next: [.down, .character("j")]]
        wanted.network.proxy = "http://proxy.example:3128"
        wanted.network.userAgent = "me/1"
        wanted.network.connectTimeout = .seconds(5)
        wanted.network.firstByteTimeout = .seconds(7)
        wanted.network.stallTimeout = .milliseconds(500)
        wanted.network.privateHosts = .never
        wanted.rewrites = [.init(from: "http://old/", to: "https://new/"), .init(from: "s3://b/", to: "https://c/")]
        #expect(reader.configuration == wanted)
        #expect(reader.remarks.isEmpty)
    }

    @Test func anEmptyFileLeavesTheDefaults() {
        for text in ["", "\n# nothing\n", "[cache]\n[home]\n", "\u{FEFF}"] {
            #expect(ConfigReader(Array(text.utf8)).configuration == Configuration())
            #expect(remarks(text).isEmpty)
        }
    }

    @Test func theDefaultsAreThoseOfTheSpecification() {
        let cache = Configuration().cache
        #expect(cache.size == 500 << 20 && cache.lowWater == 0.8 && cache.age == .seconds(7_776_000))
        #expect(cache.saveEvery == .bytes(512 << 10) && !cache.encrypts)
        #expect(Configuration().network == NetworkOptions())
    }

    @Test(arguments: [
        ("default", SaveEvery.bytes(512 << 10)), ("conservative", .bytes(256 << 10)), ("aggressive", .bytes(1 << 20)),
        ("off", .off), ("256KB", .bytes(256 << 10)), ("16MB", .bytes(16 << 20)),
    ])
    func savingHasPresets(text: String, value: SaveEvery) {
        #expect(ConfigReader(Array("cache.save_every = '\(text)'".utf8)).configuration.cache.saveEvery == value)
    }

    @Test(arguments: [
        (
            "[cache]\n\n# how often\nsave_every = \"100KB\"",
            "config.toml line 4: cache.save_every is 100KB; at least 256KB and at most 16MB, or one of default, conservative, aggressive, off"
        ),
        (
            "[cache]\nsave_every = 262143",
            "config.toml line 2: cache.save_every is 262143; at least 256KB and at most 16MB, or one of default, conservative, aggressive, off"
        ),
        ("cache.size = true", "config.toml line 1: cache.size is true; a size such as 500MB, from 1.0MB to 1024TB"),
        (
            "[cache]\nlow_water = 1.5", "config.toml line 2: cache.low_water is 1.5; a number from 0.1 to 1"
        ),
        (
            "[cache]\nlow_water = nan", "config.toml line 2: cache.low_water is nan; a number from 0.1 to 1"
        ),
        (
            "[cache]\nage = \"soon\"",
            "config.toml line 2: cache.age is soon; a length of time such as 90d, from 1m to 3650d"
        ),
        ("[cache]\nencrypt = \"yes\"", "config.toml line 2: cache.encrypt is yes; true or false"),
        (
            "[cache]\nkey = \"5ec7e7\"",
            "config.toml line 2: cache.key cannot be used; 64 hexadecimal digits, as `openssl rand -hex 32` makes them"
        ),
        ("[cache]\nkey_file = \"\"", "config.toml line 2: cache.key_file is empty; the path of a file in quotes"),
        (
            "[home]\nsources = \"~/Videos\"",
            "config.toml line 2: home.sources is ~/Videos; a list of folders, files and addresses in quotes"
        ),
        (
            "[home]\nsources = [\"a\",\n  1]",
            "config.toml line 2: home.sources is a list; a list of folders, files and addresses in quotes"
        ),
        ("[playback]\nvolume = 101", "config.toml line 2: playback.volume is 101; a number from 0 to 100"),
        ("[playback]\nfit = \"cover\"", "config.toml line 2: playback.fit is cover; one of auto, fill, fit"),
        ("[playback]\nloop = 2026-01-01", "config.toml line 2: playback.loop is a date or time; true or false"),
        ("[prefetch]\nahead = 2.5", "config.toml line 2: prefetch.ahead is 2.5; a whole number from 0 to 50"),
        (
            "[prefetch]\nbitrate = \"1\"",
            "config.toml line 2: prefetch.bitrate is 1; bits a second such as 750k or 1.5M, from 16k to 1000M"
        ),
        (
            "[interface]\nsurface = \"clay\"",
            "config.toml line 2: interface.surface is clay; one of auto, ascii, half"
        ),
        (
            "[network.timeouts]\nconnect = 5\nstall = 0",
            "config.toml line 3: network.timeouts.stall is 0; a length of time such as 10s, from 0.1 to 600 seconds"
        ),
        (
            "[network]\ntimeouts = 5",
            "config.toml line 2: network.timeouts is 5; [network.timeouts] is a section, with its keys below it"
        ),
        (
            "[network]\nproxy = \"user:secret@proxy\"",
            "config.toml line 2: network.proxy cannot be used; an address such as http://proxy.example:3128 or socks5://localhost:1080"
        ),
        (
            "[network]\nuser_agent = \"a\\r\\nCookie: x\"",
            "config.toml line 2: network.user_agent is a Cookie: x; 1 to 200 printable ASCII characters"
        ),
        (
            "[network]\nprivate_hosts = \"some\"",
            "config.toml line 2: network.private_hosts is some; one of never, same-origin, always"
        ),
        (
            "[network]\nrewrite = [{ from = \"http://old/\" }]",
            "config.toml line 2: network.rewrite is a list; a list such as [{ from = \"http://old/\", to = \"https://new/\" }]"
        ),
    ])
    func aMistakeIsReportedWithLineKeyAndRemedy(text: String, told: String) {
        let reader = ConfigReader(Array(text.utf8))
        #expect(reader.hasErrors)
        let remarks = reader.remarks.map { $0.text(of: "config.toml") }
        #expect(remarks == [told])
    }

    @Test(arguments: [
        ("[cache]\nsise = 1", "config.toml line 2: cache.sise is not known; did you mean cache.size?"),
        ("[cahce]\nsize = 1", "config.toml line 1: cahce is not known; did you mean cache?"),
        ("[playback]\nsize = 1", "config.toml line 2: playback.size is not known; did you mean cache.size?"),
        (
            "[network.timeouts]\nconect = 1",
            "config.toml line 2: network.timeouts.conect is not known; did you mean network.timeouts.connect?"
        ),
        ("[home]\nnothing_like_it = 1", "config.toml line 2: home.nothing_like_it is not known"),
        ("\"a\\u001b[2J\" = 1", "config.toml: a\u{FFFD} is not known"),
    ])
    func anUnknownKeyIsAWarning(text: String, told: String) {
        let reader = ConfigReader(Array(text.utf8))
        #expect(!reader.hasErrors)
        #expect(reader.remarks.map(\.weight) == [.warning])
        #expect(reader.remarks.map { CleanText.line($0.text(of: "config.toml")) } == [told])
    }

    @Test func invalidTOMLIsReportedWithItsLine() {
        for (text, line) in [
            ("[cache]\nsize = ", 2), ("[cache\n", 1), ("a = 1\na = 2", 2), ("a = 1\n\u{0}b", 2), ("a = 1\n[[ =", 2),
            ("[é]", 1), ("a = { b = 1,\n c = 2 }", 1),
        ] {
            let remarks = ConfigReader(Array(text.utf8)).remarks
            #expect(remarks.count == 1 && remarks[0].weight == .error)
            #expect(remarks.first?.line == line, "\(text): \(remarks)")
        }
        #expect(
            ConfigReader([0x61, 0xFF]).remarks == [
                ConfigRemark(weight: .error, line: nil, problem: "it is not UTF-8 text")
            ])
    }

    @Test func theDocumentationNamesEveryKey() throws {
        let page = try String(contentsOf: FlickBinary.root.appendingPathComponent("docs/config.md"), encoding: .utf8)
        // docs/keys.md lists the actions, and is made from their table.
        #expect(page.contains("\n## [keys]\n"))
        for key in ConfigKey.all where key.section != "keys" {
            let section = try #require(page.range(of: "\n## [\(key.section)]\n"), "\(key.section)")
            let rest = page[section.upperBound...]
            let text = rest.range(of: "\n## ").map { rest[..<$0.lowerBound] } ?? rest
            for name in key.path.split(separator: ".").dropFirst() {
                #expect(text.contains("`\(name)`") || text.contains("`\(name) = "), "\(key.path)")
            }
        }
    }

    @Test func remarksAreInTheOrderOfLines() {
        let told = remarks("[cache]\nsize = 0\n[prefetch]\nahead = -1\n[playback]\nfits = 1\nvolume = -1")
        #expect(told.map { String($0.prefix { $0 != ":" }) } == [2, 4, 6, 7].map { "config.toml line \($0)" })
    }

    @Test func malformedTextNeverCrashes() {
        var random = SeededRandom(state: 7)
        let pieces = [
            "[", "]", "{", "}", "\"", "'", "\"\"\"", "'''", "=", ",", ".", "\n", "#", "\\", "cache", "size", " ", "1",
            "\u{0}", "é",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            _ = ConfigLines(text)
            _ = ConfigReader(Array(text.utf8))
        }
    }
}

@Suite struct ConfigLineTests {
    @Test func keysAreFoundWhereverTOMLAllowsThem() {
        let lines = ConfigLines(
            """
            # a = 1
            top.dotted = 1
            'quoted' = "x # not a comment" # a comment

            [one]
            a = \"\"\"
            fake = 1
            [fake]\"\"\"
            b = '''
            \\''' # ends above
            c = [ # a list
              "]", { d = 1 }, [2,
              3] ]
            e = { f = "}", g.h = 2 }
            [one . two]
            i = 1979-05-27 07:32:00
            [[three]]
            j = "\\"k = 1"
            [[three]]
            l = 1
            """)
        for (path, line) in [
            ("top", 2), ("top.dotted", 2), ("quoted", 3), ("one", 5), ("one.a", 6), ("one.b", 9), ("one.c", 11),
            ("one.c.d", 12), ("one.e", 14), ("one.e.f", 14), ("one.e.g.h", 14), ("one.two", 15), ("one.two.i", 16),
            ("three", 17), ("three.j", 18), ("three.l", 20),
        ] { #expect(lines.line(of: path) == line, "\(path)") }
        for path in ["a", "fake", "one.fake", "k", "three.k"] { #expect(lines.line(of: path) == nil, "\(path)") }
    }

    @Test func linesMayEndAsOnWindows() {
        #expect(ConfigLines("[a]\r\nb = 1\r\nc = 2\r\n").line(of: "a.c") == 3)
    }
}

@Suite struct ConfigFileTests {
    private let folder = TemporaryFolder()
    private static let hex = String(repeating: "ab", count: 32)
    private static let key = [UInt8](repeating: 0xAB, count: 32)

    private func file(
        _ text: String,
        keyring: () throws(Keyring.Failure) -> [UInt8] = { () throws(Keyring.Failure) in
            throw Keyring.Failure(why: "function not implemented")
        }
    ) throws -> ConfigFile {
        let path = try folder.write("config.toml", text.utf8)
        chmod(path, 0o600)
        return ConfigFile(path: path, mustExist: false, home: "/home/u", keyring: keyring)
    }

    @Test func aMissingFileIsAnErrorOnlyIfItWasNamed() {
        let path = folder.path + "/none.toml"
        let file = ConfigFile(path: path, mustExist: false, home: nil)
        #expect(!file.exists && file.remarks.isEmpty && file.configuration == Configuration())
        let named = ConfigFile(path: path, mustExist: true, home: nil)
        #expect(named.remarks.map { $0.text(of: "c") } == ["c: it cannot be read: there is no such file"])
        #expect(throws: ConfigError("\(path): it cannot be read: there is no such file")) {
            try Setup(config: path, cacheFolder: nil, keepsCache: false)
        }
    }

    @Test func whatCannotBeReadIsAnError() {
        let file = ConfigFile(path: folder.path, mustExist: false, home: nil)
        #expect(file.exists && file.remarks.map(\.problem) == ["it cannot be read: it is a folder"])
    }

    @Test func theFirstMistakeIsReportedAndTheOthersAreCounted() throws {
        let path = try folder.write("config.toml", "[cache]\nsize = 1\nage = 1\nloud = 1\n".utf8)
        #expect(
            throws: ConfigError(
                "\(path) line 2: cache.size is 1; a size such as 500MB, from 1.0MB to 1024TB (and 1 more: `flick doctor` tells all)"
            )
        ) { try Setup(config: path, cacheFolder: nil, keepsCache: true) }
    }

    @Test func pathsAreRelativeToTheFileOrTheHome() throws {
        let file = try file(
            "home.sources = ['~/Videos', '~', 'clips', '/abs', 'https://example.org/~/x', '~other/x']\ncache.key_file='k'\ncache.encrypt=false"
        )
        #expect(
            file.configuration.home.sources == [
                "/home/u/Videos", "/home/u", "\(folder.path)/clips", "/abs", "https://example.org/~/x",
                "\(folder.path)/~other/x",
            ])
        #expect(file.configuration.cache.keyFile == "\(folder.path)/k")
    }

    @Test func theKeyComesFromTheConfiguration() throws {
        let file = try file("[cache]\nencrypt = true\nkey = '\(Self.hex)'")
        #expect(file.configuration.cache.key == Self.key && file.remarks.isEmpty)
        chmod(file.path, 0o644)
        let open = ConfigFile(path: file.path, mustExist: true, home: nil)
        #expect(
            open.remarks.map { $0.text(of: "c") } == ["c line 3: cache.key can be read by others; chmod 600 this file"])
        #expect(open.remarks.map(\.weight) == [.warning])
    }

    @Test func aProxysPasswordInAFileForAllIsAWarning() throws {
        for (proxy, isSecret) in [("http://me:secret@p:1", true), ("http://me@p:1", true), ("http://p:1", false)] {
            let file = try file("[network]\nproxy = '\(proxy)'")
            #expect(file.remarks.isEmpty)
            chmod(file.path, 0o644)
            let open = ConfigFile(path: file.path, mustExist: true, home: nil)
            #expect(
                open.remarks.map { $0.text(of: "c") }
                    == (isSecret
                        ? ["c line 2: network.proxy has a password that others can read; chmod 600 this file"] : []))
            #expect(open.remarks.allSatisfy { $0.weight == .warning })
        }
    }

    @Test(arguments: [true, false]) func aKeyAndAFileWithOneAreAMistake(encrypts: Bool) throws {
        let file = try file("[cache]\nencrypt = \(encrypts)\nkey = '\(Self.hex)'\nkey_file = 'key'")
        #expect(
            file.remarks.map { $0.text(of: "c") } == [
                "c line 4: cache.key_file is there beside cache.key; keep one of them"
            ])
        #expect(file.remarks.map(\.weight) == [.error])
    }

    /// Of every kind of nesting that TOML has.
    @Test(arguments: [
        ("[", "]"), ("{a=", "}"), ("[{a=", "}]"), ("a.", ""), ("'b'.", ""),
    ])
    func deepNestingIsRefusedAtOnce(open: String, close: String) throws {
        func remarks(_ text: String) -> [String] {
            ConfigReader(Array(text.utf8)).remarks.map { $0.text(of: "config.toml") }
        }
        func nested(_ depth: Int) -> [String] {
            let inner = String(repeating: open, count: depth)
            let end = String(repeating: close, count: depth)
            // Names stand before the equals sign, or between brackets.
            return close.isEmpty
                ? ["\n\(inner)c = 1", "\n[\(inner)c]", "\n[[\(inner)c]]", "\nx = { \(inner)c = 1 }"]
                : ["\nx = \(inner)1\(end)"]
        }
        for text in nested(20_000) {
            let began = ContinuousClock.now
            #expect(remarks(text) == ["config.toml line 2: it is nested more than \(ConfigLines.deepest) deep"])
            #expect(ContinuousClock.now - began < .seconds(2))
        }
        for text in nested(10) { #expect(!remarks(text).contains { $0.contains("nested") }) }
    }

    @Test func theKeyComesFromItsFile() throws {
        let path = try folder.write("key", " \(Self.hex)\n".utf8)
        chmod(path, 0o600)
        let text = "[cache]\nencrypt = true\nkey_file = 'key'"
        #expect(try file(text).configuration.cache.key == Self.key && file(text).remarks.isEmpty)
        try folder.write("key", Self.key)
        chmod(path, 0o600)
        #expect(try file(text).configuration.cache.key == Self.key && file(text).remarks.isEmpty)
        chmod(path, 0o640)
        #expect(
            try file(text).remarks.map { $0.text(of: "c") } == [
                "c line 3: cache.key_file '\(path)' can be read by others; chmod 600 it"
            ])
        try folder.write("key", "short".utf8)
        #expect(try file(text).remarks.map(\.weight) == [.error])
        unlink(path)
        #expect(
            try file(text).remarks.map { $0.text(of: "c") } == [
                "c line 3: cache.key_file '\(path)' cannot be read: there is no such file; make it with `openssl rand -hex 32`, and chmod 600"
            ])
    }

    @Test func withoutAKeyTheKeyringHasOne() throws {
        let text = "[cache]\nencrypt = true"
        #expect(try file(text) { () throws(Keyring.Failure) in Self.key }.configuration.cache.key == Self.key)
        #expect(
            try file(text).remarks.map { $0.text(of: "c") } == [
                "c line 2: cache.encrypt finds no keyring (function not implemented); set cache.key_file to a file made with `openssl rand -hex 32`"
            ])
    }

    @Test func aKeyWithoutEncryptionIsAWarningAndIsNotUsed() throws {
        let file = try file("[cache]\nkey = '\(Self.hex)'")
        #expect(file.configuration.cache.key == nil && file.remarks.map(\.weight) == [.warning])
    }

    #if os(Linux)
        /// Only where the system allows processes a keyring; containers often do not.
        @Test func theKeyringKeepsAKey() throws {
            let name = "flick:test:\(UUID().uuidString)"
            do throws(Keyring.Failure) {
                let key = try Keyring.key(named: name)
                #expect(key.count == 32 && Set(key).count > 8)
                #expect(try Keyring.key(named: name) == key)
            } catch {
                #expect(!error.why.isEmpty)
            }
        }
    #endif
}

@Suite struct SetupTests {
    private let folder = TemporaryFolder()

    private func setup(_ text: String) throws -> Setup {
        try Setup(
            config: folder.write("config.toml", text.utf8), cacheFolder: folder.path + "/cache", keepsCache: true)
    }

    private func browse(
        _ setup: Setup, sources: [String] = [], surface: Automatic<PictureMode>? = nil, fit: PictureFit? = nil,
        loop: Bool? = nil, reducedMotion: Bool? = nil
    ) -> BrowseSettings {
        BrowseSettings(
            sources: sources, pictureMode: surface, color: nil, output: nil, fit: fit, fps: nil, muted: false,
            audio: true,
            start: 0,
            shuffle: false, order: nil, loop: loop, autoAdvance: false, reducedMotion: reducedMotion,
            report: ReportSettings(),
            setup: setup)
    }

    @Test func theConfigurationAppliesWithoutOptions() throws {
        let setup = try setup(
            "home.sources=['/a','/b']\n[playback]\nvolume=50\nloop=false\nfit='fit'\n[interface]\nsurface='ascii'\ncolor='mono'\nreduced_motion=true"
        )
        let settings = browse(setup)
        #expect(settings.sources == ["/a", "/b"] && settings.isHome)
        #expect(settings.volume == 0.5 && !settings.loop && settings.fit == .fit && settings.reducedMotion)
        #expect(settings.pictureMode == .ascii && settings.color == .mono)
    }

    @Test func theCommandLineWins() throws {
        let setup = try setup(
            "home.sources=['/a']\n[playback]\nloop=false\nfit='fit'\n[interface]\nsurface='ascii'\nreduced_motion=true")
        let settings = browse(
            setup, sources: ["/c"], surface: Automatic("auto"), fit: .fill, loop: true, reducedMotion: false)
        #expect(settings.sources == ["/c"] && !settings.isHome)
        #expect(settings.pictureMode == nil && settings.loop && settings.fit == .fill && !settings.reducedMotion)
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
        #expect(cache.age == .seconds(86_400) && cache.pieceSize == nil && cache.key == nil)
        let path = folder.path + "/config.toml"
        #expect(try Setup(config: path, cacheFolder: nil, keepsCache: false).cache == nil)
    }

    @Test func aRemarkThatStopsNothingIsAWarningOfOneLine() throws {
        #expect(
            try setup("[cache]\nsise = 1\n[prefetch]\nahead = 1").warnings == [
                "\(folder.path)/config.toml line 2: cache.sise is not known; did you mean cache.size?"
            ])
    }
}
