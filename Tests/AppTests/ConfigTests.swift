import Bytes
import Feeds
import Foundation
import HTTP
import Model
import TestSupport
import Testing
import UI

@testable import App

private let sourcesWanted =
    "a list of folders, files and addresses in quotes, or { url = \"...\", name = \"...\", weight = 2 }, weights from 0.1 to 10"

@Suite struct ConfigTests {
    /// The remarks on a configuration, as `flick doctor` and the shell print them.
    private func remarks(_ text: String) -> [String] {
        ConfigReader(Array(text.utf8)).remarks.map { $0.text(of: "config.toml") }
    }

    /// What the file can set, by section and property, as texts.
    private func properties(of configuration: Configuration) -> [String: String] {
        var found: [String: String] = [:]
        for section in Mirror(reflecting: configuration).children {
            let (name, inside) = (section.label ?? "", Mirror(reflecting: section.value))
            guard inside.displayStyle == .struct else {
                found[name] = "\(section.value)"
                continue
            }
            for property in inside.children { found["\(name).\(property.label ?? "")"] = "\(property.value)" }
        }
        // It is the process's.
        found["network.environment"] = nil
        return found
    }

    /// Each value differs from the default.
    @Test func everyKeyIsRead() throws {
        let reader = ConfigReader(
            Array(
                """
                [home]
                sources = ["~/Videos", "https://example.org/feed.json"]
                [feed]
                sensitive = "skip"
                load_more_at = 9
                [playback]
                volume = 80
                loop = false
                fit = "fit"
                resume_over = "2m"
                seek_step = "10s"
                data_saver = true
                sleep = "30m"
                [sound]
                languages = ["de-AT", "eng"]
                level = -18.5
                [subtitles]
                show = "on"
                languages = ["de"]
                charset = "cp1250"
                [cache]
                size = "1GB"
                low_water = 0.5
                age = "30d"
                feed_age = "2d"
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
                plain = true
                pause_unfocused = true
                theme = "high-contrast"
                click_delay = 0.5
                gate = true
                copy_secrets = true
                [engagement]
                remember = false
                send = false
                name = "Bo"
                [hide]
                clips = ["https://h.example/1.mp4"]
                creators = ["Bo"]
                topics = ["cats"]
                sources = ["~/Videos"]
                words = ["live now"]
                [for_you]
                enabled = false
                exploration = 20
                [desktop]
                mpris = false
                control = false
                inhibit_sleep = false
                [network]
                proxy = "http://proxy.example:3128"
                user_agent = "me/1"
                timeouts = { connect = 5, first_byte = "7s", stall = 0.5 }
                private_hosts = "never"
                rewrite = [{ from = "http://old/", to = "https://new/" }, { from = "s3://b/", to = "https://c/" }]
                [tools]
                yt_dlp = "/opt/yt-dlp"
                [keys]
                next = ["down", "j"]
                """.utf8))
        var wanted = Configuration()
        wanted.home.sources = [FeedSource("~/Videos"), FeedSource("https://example.org/feed.json")]
        wanted.feed.sensitive = .skip
        wanted.feed.loadMoreAt = 9
        wanted.playback.volume = 0.8
        wanted.playback.loop = false
        wanted.playback.fit = .fit
        wanted.playback.resumeOver = .seconds(120)
        wanted.playback.seekStep = .seconds(10)
        wanted.playback.savesData = true
        wanted.playback.sleep = .seconds(1_800)
        wanted.sound.languages = ["de-AT", "eng"]
        wanted.desktop = .off
        wanted.sound.level = -18.5
        wanted.subtitles.show = .on
        wanted.subtitles.languages = ["de"]
        wanted.subtitles.charset = try #require(SubtitleCharset("cp1250"))
        wanted.cache.size = 1 << 30
        wanted.cache.lowWater = 0.5
        wanted.cache.age = .seconds(30 * 86_400)
        wanted.cache.feedAge = .seconds(2 * 86_400)
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
        wanted.interface.isPlain = true
        wanted.interface.pausesUnfocused = true
        wanted.interface.theme.choice = .highContrast
        wanted.interface.clickDelay = .milliseconds(500)
        wanted.interface.hasGate = true
        wanted.interface.copiesSecrets = true
        wanted.engagement.remembers = false
        wanted.engagement.sends = false
        wanted.engagement.name = "Bo"
        wanted.hide.clips = ["https://h.example/1.mp4"]
        wanted.hide.creators = ["Bo"]
        wanted.hide.topics = ["cats"]
        wanted.hide.sources = ["~/Videos"]
        wanted.hide.words = ["live now"]
        wanted.forYou.isEnabled = false
        wanted.forYou.exploration = 0.2
        wanted.tools.ytDLP = "/opt/yt-dlp"
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
        // The text has all keys, and all properties have keys.
        for key in ConfigKey.all where key.section != "keys" {
            #expect(reader.line(of: key.path) != nil, "\(key.path)")
        }
        let read = properties(of: reader.configuration)
        for (name, text) in properties(of: Configuration()) { #expect(read[name] != text, "\(name)") }
    }

    /// Named as the action is.
    @Test func everyActionHasAKey() {
        #expect(
            ConfigKey.all.filter { $0.section == "keys" }.map(\.path) == Action.allCases.map { "keys.\($0.rawValue)" })
    }

    @Test func sourcesHaveNamesAndWeights() {
        let reader = ConfigReader(
            Array(
                """
                [home]
                sources = ["/a", { url = "/b", name = "The b", weight = 0.5 }, { url = "/c", weight = 10 }]
                """.utf8))
        #expect(
            reader.configuration.home.sources == [
                FeedSource("/a"), FeedSource("/b", name: "The b", weight: 0.5), FeedSource("/c", weight: 10),
            ])
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
        #expect(
            cache.size == 500 << 20 && cache.lowWater == 0.8 && cache.age == .seconds(7_776_000)
                && cache.feedAge == .seconds(604_800))
        #expect(cache.saveEvery == .bytes(512 << 10) && !cache.encrypts)
        #expect(Configuration().network == NetworkOptions())
    }

    @Test func soundLevelCanBeOff() {
        let reader = ConfigReader(Array("sound.level = 'off'".utf8))
        #expect(reader.configuration.sound.level == nil && reader.remarks.isEmpty)
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
            "config.toml line 4: cache.save_every is 100KB; expected at least 256KB and at most 16MB, or one of default, conservative, aggressive, off"
        ),
        (
            "[cache]\nsave_every = 262143",
            "config.toml line 2: cache.save_every is 262143; expected at least 256KB and at most 16MB, or one of default, conservative, aggressive, off"
        ),
        (
            "cache.size = true",
            "config.toml line 1: cache.size is true; expected a size such as 500MB, from 1MB to 1024TB"
        ),
        (
            "[cache]\nlow_water = 1.5", "config.toml line 2: cache.low_water is 1.5; expected a number from 0.1 to 1"
        ),
        (
            "[cache]\nlow_water = nan", "config.toml line 2: cache.low_water is nan; expected a number from 0.1 to 1"
        ),
        (
            "[cache]\nage = \"soon\"",
            "config.toml line 2: cache.age is soon; expected a length of time such as 90d, from 1m to 3650d"
        ),
        (
            "[sound]\nlevel = \"loud\"",
            "config.toml line 2: sound.level is loud; expected a number from -40 to -5, or \"off\""
        ),
        ("sound.level = 3", "config.toml line 1: sound.level is 3; expected a number from -40 to -5, or \"off\""),
        ("[cache]\nencrypt = \"yes\"", "config.toml line 2: cache.encrypt is yes; expected true or false"),
        (
            "[cache]\nkey = \"5ec7e7\"",
            "config.toml line 2: cache.key cannot be used; expected 64 hexadecimal digits, as printed by `openssl rand -hex 32`"
        ),
        (
            "[cache]\nkey_file = \"\"",
            "config.toml line 2: cache.key_file is empty; expected the path of a file in quotes"
        ),
        (
            "[home]\nsources = \"~/Videos\"",
            "config.toml line 2: home.sources is ~/Videos; expected \(sourcesWanted)"
        ),
        (
            "[home]\nsources = [\"a\",\n  1]",
            "config.toml line 3: home.sources has 1; expected \(sourcesWanted)"
        ),
        (
            "[home]\nsources = [\n  'a', { url = 'b', weight = 3 },\n  { url = 'c', weight = 20 }\n]",
            "config.toml line 4: home.sources has weight 20; expected \(sourcesWanted)"
        ),
        (
            "[[home.sources]]\nurl = 'a'\n[[home.sources]]\nurl = 'b'\nwieght = 2",
            "config.toml line 3: home.sources has wieght, which is not a key of a source; expected \(sourcesWanted)"
        ),
        (
            "home.sources = [{ name = 'a' }]",
            "config.toml line 1: home.sources has a source without a url; expected \(sourcesWanted)"
        ),
        (
            "home.sources = [{ url = 'a', name = 'x\ty' }]",
            "config.toml line 1: home.sources has name x y; expected \(sourcesWanted)"
        ),
        ("[playback]\nvolume = 101", "config.toml line 2: playback.volume is 101; expected a number from 0 to 100"),
        ("[playback]\nfit = \"cover\"", "config.toml line 2: playback.fit is cover; expected one of auto, fill, fit"),
        (
            "[playback]\nloop = 2026-01-01",
            "config.toml line 2: playback.loop is a date or time; expected true or false"
        ),
        ("[prefetch]\nahead = 2.5", "config.toml line 2: prefetch.ahead is 2.5; expected a whole number from 0 to 50"),
        (
            "[prefetch]\nbitrate = \"1\"",
            "config.toml line 2: prefetch.bitrate is 1; expected bits per second such as 750k or 1.5M, from 16k to 1000M"
        ),
        (
            "[interface]\nsurface = \"clay\"",
            "config.toml line 2: interface.surface is clay; expected one of auto, ascii, braille, half, quadrant, sextant, octant, kitty, sixel, iterm2"
        ),
        (
            "[network.timeouts]\nconnect = 5\nstall = 0",
            "config.toml line 3: network.timeouts.stall is 0; expected a length of time such as 10s, from 0.1 to 600 seconds"
        ),
        (
            "[network]\ntimeouts = 5",
            "config.toml line 2: network.timeouts is 5; [network.timeouts] is a section, with its keys below it"
        ),
        (
            "[network]\nproxy = \"user:secret@proxy\"",
            "config.toml line 2: network.proxy cannot be used; expected an address such as http://proxy.example:3128 or socks5://localhost:1080"
        ),
        (
            "[network]\nuser_agent = \"a\\r\\nCookie: x\"",
            "config.toml line 2: network.user_agent is a Cookie: x; expected 1 to 200 printable ASCII characters"
        ),
        (
            "[network]\nprivate_hosts = \"some\"",
            "config.toml line 2: network.private_hosts is some; expected one of never, same-origin, always"
        ),
        (
            "[network]\nrewrite = [{ from = \"http://old/\" }]",
            "config.toml line 2: network.rewrite is a list; expected a list such as [{ from = \"http://old/\", to = \"https://new/\" }]"
        ),
    ])
    func errorNamesLineKeyAndRemedy(text: String, expected: String) {
        let reader = ConfigReader(Array(text.utf8))
        #expect(reader.hasErrors)
        let remarks = reader.remarks.map { $0.text(of: "config.toml") }
        #expect(remarks == [expected])
    }

    /// The name without the digit is common for that protocol; messages and completion list the other.
    @Test func surfaceAcceptsIterm() {
        let reader = ConfigReader(Array("[interface]\nsurface = 'iterm'".utf8))
        #expect(reader.remarks.isEmpty && reader.configuration.interface.surface.choice == .iterm2)
        #expect(Automatic<PictureMode>("iterm")?.choice == .iterm2)
        #expect(!Automatic<PictureMode>.names.contains("iterm"))
        #expect(Automatic<PictureMode>("iterm3") == nil && Automatic<ColorMode>("iterm") == nil)
    }

    @Test(arguments: [
        ("[cache]\nsise = 1", "config.toml line 2: unknown key 'cache.sise'; did you mean cache.size?"),
        ("[cahce]\nsize = 1", "config.toml line 1: unknown section 'cahce'; did you mean cache?"),
        ("[playback]\nsize = 1", "config.toml line 2: unknown key 'playback.size'; did you mean cache.size?"),
        (
            "[network.timeouts]\nconect = 1",
            "config.toml line 2: unknown key 'network.timeouts.conect'; did you mean network.timeouts.connect?"
        ),
        ("[home]\nnothing_like_it = 1", "config.toml line 2: unknown key 'home.nothing_like_it'"),
        ("\"a\\u001b[2J\" = 1", "config.toml line 1: unknown key 'a\u{FFFD}'"),
    ])
    func unknownKeyIsAWarning(text: String, expected: String) {
        let reader = ConfigReader(Array(text.utf8))
        #expect(!reader.hasErrors)
        #expect(reader.remarks.map(\.weight) == [.warning])
        #expect(reader.remarks.map { CleanText.line($0.text(of: "config.toml")) } == [expected])
    }

    @Test(arguments: [
        ("[playback]\nfit = fill", "fit needs quotes: fit = \"fill\""),
        ("[tools]\nyt_dlp = /bin/true # mine", "yt_dlp needs quotes: yt_dlp = \"/bin/true\""),
    ])
    func textWithoutQuotesIsNamed(text: String, problem: String) {
        #expect(ConfigReader(Array(text.utf8)).remarks == [ConfigDiagnostic(weight: .error, line: 2, problem: problem)])
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
                ConfigDiagnostic(weight: .error, line: nil, problem: "it is not UTF-8 text")
            ])
    }

    @Test func rejectsUnknownSubtitleEncodings() {
        func charset(_ value: String) -> String? {
            ConfigReader(Array("[subtitles]\ncharset = \(value)".utf8)).configuration.subtitles.charset.name
        }
        #expect(charset("\"cp1250\"") == "cp1250" && charset("\"Shift_JIS\"") == "Shift_JIS")
        #expect(charset("\"auto\"") == nil)
        for value in ["\"klingon\"", "\"\"", "\"utf-8//TRANSLIT\"", "1250"] {
            #expect(charset(value) == nil)
            #expect(remarks("[subtitles]\ncharset = \(value)").count == 1, "\(value)")
        }
    }

    @Test func theDocumentationNamesEveryKey() throws {
        let page = try String(
            contentsOf: FlickBinary.root.appendingPathComponent("docs/user/configuration.md"), encoding: .utf8)
        // docs/user/keys.md lists the actions, and is made from their table.
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

    @Test func theManPageNamesEverySection() throws {
        let page = try String(contentsOf: FlickBinary.root.appendingPathComponent("docs/flick.1"), encoding: .utf8)
        let sections = try #require(page.components(separatedBy: "The configuration: sections\n.BR ").dropFirst().first)
        let line = sections.prefix { $0 != "\n" && $0 != ";" }
        let names = line.replacing("\"", with: "").split { $0 == " " || $0 == "," }.map(String.init)
        #expect(Set(names) == Set(ConfigKey.all.map { String($0.section) }))
    }

    @Test func remarksAreInTheOrderOfLines() {
        let lines = remarks("[cache]\nsize = 0\n[prefetch]\nahead = -1\n[playback]\nfits = 1\nvolume = -1")
        #expect(lines.map { String($0.prefix { $0 != ":" }) } == [2, 4, 6, 7].map { "config.toml line \($0)" })
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
            _ = ConfigReader(Array(text.utf8))
        }
    }
}
