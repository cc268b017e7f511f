import Charset
import Feeds
import HTTP
import Model
import TerminalInput
import UI

/// All settings of `config.toml`, with their defaults. docs/user/configuration.md explains each. A value.
public struct Configuration: Sendable, Equatable {
    public struct Home: Sendable, Equatable {
        /// The sources that `flick` opens when none is named.
        public var sources: [FeedSource] = []
    }

    public struct Feed: Sendable, Equatable {
        public var sensitive = SensitiveMedia.cover
        /// The next page of a feed is loaded when at most this many items are left.
        public var loadMoreAt = 5
    }

    public struct Playback: Sendable, Equatable {
        /// 0 … 1.
        public var volume = 1.0
        public var loop = true
        public var fit = PictureFit.auto
        /// Clips longer than this continue where they were left.
        public var resumeOver: Duration = .seconds(60)
        /// How far the keys of the scrubber go.
        public var seekStep: Duration = .seconds(5)
        /// Whether small variants are played, and little is fetched ahead.
        public var savesData = false
        /// Playing stops this long after the start; zero: it does not.
        public var sleep: Duration = .zero
    }

    public struct Sound: Sendable, Equatable {
        /// Of clips with several sound tracks, the first of these that they have is played: tags such as "de".
        public var languages: [String] = []
        /// The loudness that all clips play at, in LUFS; nil: as loud as they are.
        public var level: Double? = -16
    }

    public struct Subtitles: Sendable, Equatable {
        public var show = SubtitleChoice.Show.auto
        /// The best first, as tags: "de", "pt-BR".
        public var languages: [String] = []
        public var charset = SubtitleCharset()
    }

    public struct Cache: Sendable, Equatable {
        /// In bytes.
        public var size: Int64 = 500 << 20
        public var lowWater = 0.8
        public var age: Duration = .seconds(90 * 86_400)
        /// How long a feed's last answer stays, for use without its server.
        public var feedAge: Duration = .seconds(7 * 86_400)
        /// How many bytes are saved at once.
        public var saveEvery = SaveEvery.normal
        public var encrypts = false
        /// The encryption key, 32 bytes.
        public var key: [UInt8]?
        /// The file with the key, if it is not here.
        public var keyFile: String?
    }

    public struct Prefetch: Sendable, Equatable {
        public var ahead = 6
        public var behind = 4
        public var concurrent = 4
        public var buffer: Duration = .seconds(2)
        /// Bits a second.
        public var bitrate: Int64 = 750_000
        public var isAdaptive = true
    }

    public struct Interface: Sendable, Equatable {
        public var surface = Automatic<PictureMode>()
        public var color = Automatic<ColorMode>()
        public var output = Automatic<ScreenOutput>()
        public var reducedMotion = false
        /// Whether the clip waits while the terminal's window lacks the keyboard.
        public var pausesUnfocused = false
        /// Whether the page is printed as lines of text.
        public var isPlain = false
        /// The readiness gate: whether paging waits until the current clip is ready.
        public var hasGate = false
        public var theme = Automatic<Theme.Name>()
        /// How long a click waits for a second one.
        public var clickDelay: Duration = .milliseconds(250)
        /// Whether links are copied with the passwords and signatures in them.
        public var copiesSecrets = false
    }

    public struct Engagement: Sendable, Equatable {
        /// Whether flick remembers what was watched, liked, saved and followed.
        public var remembers = true
        /// Whether what the user does with items is sent to feeds that ask for it.
        public var sends = true
        /// What the user is called beside their comments.
        public var name: String?
    }

    public struct ForYou: Sendable, Equatable {
        /// Whether there is a place For You.
        public var isEnabled = true
        /// The share of its clips that are there to find out what the user likes.
        public var exploration = 0.1
    }

    /// What is shown in no feed.
    public struct Hide: Sendable, Equatable {
        /// URLs, and absolute paths.
        public var clips: [String] = []
        /// Names and URLs.
        public var creators: [String] = []
        public var topics: [String] = []
        /// As in `Home.sources`.
        public var sources: [String] = []
        /// One after the other in a title.
        public var words: [String] = []

        var rules: [HideRule] {
            func url(_ text: String) -> String { text.hasPrefix("/") ? FileURL.url(path: text.utf8) : text }
            return clips.map { HideRule(.clip, value: url($0), name: SafeURL.text($0)) }
                + creators.map { HideRule(.creator, value: $0) } + topics.map { HideRule(.topic, value: $0) }
                + sources.map { HideRule(.source, value: url($0), name: SafeURL.text($0)) }
                + words.map { HideRule(.words, value: $0) }
        }
    }

    /// How other programs see flick.
    public struct Desktop: Sendable, Equatable {
        /// Whether it is a media player on D-Bus.
        public var isPlayer = true
        /// Whether it has a socket for `flick ctl`.
        public var hasControl = true
        /// Whether the machine stays awake while a clip plays.
        public var inhibitsSleep = true
    }

    public struct Tools: Sendable, Equatable {
        /// yt-dlp's path, or its name in PATH; empty: it is never asked.
        public var ytDLP = "yt-dlp"
    }

    public var home = Home()
    public var feed = Feed()
    public var playback = Playback()
    public var sound = Sound()
    public var subtitles = Subtitles()
    public var cache = Cache()
    public var prefetch = Prefetch()
    public var interface = Interface()
    public var engagement = Engagement()
    public var forYou = ForYou()
    public var hide = Hide()
    public var desktop = Desktop()
    public var network = NetworkOptions()
    public var tools = Tools()
    /// For URLs that begin with `from`, flick reads the same URL with `to` in its place.
    public var rewrites: [URLRewriter.Rule] = []

    /// The keys of actions that differ from the default.
    public var keys: [Action: [Key]] = [:]

    public init() {}
}

/// How many bytes of a download are saved at once: if flick is killed, each download loses at most as many.
public enum SaveEvery: Sendable, Equatable {
    case bytes(Int)
    /// Nothing is saved during a download; everything received is saved when it ends for any reason.
    case off

    static let normal = SaveEvery.bytes(512 << 10)
    static let names: [(name: String, value: SaveEvery)] = [
        ("default", normal), ("conservative", .bytes(256 << 10)), ("aggressive", .bytes(1 << 20)), ("off", .off),
    ]
}

/// A value that is chosen by name, on the command line and in the configuration.
public protocol NamedChoice: CaseIterable, RawRepresentable<String>, Sendable, Equatable {
    /// Names that are accepted, but not listed.
    static var aliases: [String: Self] { get }
}

extension NamedChoice {
    public static var aliases: [String: Self] { [:] }
}

extension PictureMode: NamedChoice {
    public static var aliases: [String: PictureMode] { ["iterm": .iterm2] }
}
extension ColorMode: NamedChoice {}
extension ScreenOutput: NamedChoice {}
extension Theme.Name: NamedChoice {}

/// The encoding of subtitles that are not Unicode. A value.
public struct SubtitleCharset: Sendable, Equatable {
    /// The name that iconv has for it; nil: it is detected.
    public private(set) var name: String?

    public init() {}

    /// "auto", or the name of an encoding; nil for any other text.
    public init?(_ text: String) {
        guard text != "auto" else { return }
        let isPlain =
            (1...40).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }
        guard isPlain, CharsetConverter.knows(text) else { return nil }
        name = text
    }
}

/// A choice, or nil if flick decides. A value.
public struct Automatic<Choice: NamedChoice>: Sendable, Equatable {
    /// nil: automatic.
    public var choice: Choice?

    public init() {}

    /// "auto", or a name of a choice; nil for any other text.
    public init?(_ name: String) {
        if name != "auto" {
            guard let choice = Choice(rawValue: name) ?? Choice.aliases[name] else { return nil }
            self.choice = choice
        }
    }

    public static var names: [String] { ["auto"] + Choice.allCases.map(\.rawValue) }
}

/// What becomes of items that feeds call sensitive.
public enum SensitiveMedia: String, Sendable, CaseIterable {
    /// They are hidden until a key shows them.
    case cover
    case show
    /// Feeds are read without them.
    case skip
}
