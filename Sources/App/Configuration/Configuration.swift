import Feeds
import HTTP
import Model
import UI

/// What `config.toml` can set, with the defaults. docs/config.md says what each means.
public struct Configuration: Sendable, Equatable {
    public struct Home: Sendable, Equatable {
        /// What `flick` opens when no source is named.
        public var sources: [String] = []
    }

    public struct Playback: Sendable, Equatable {
        /// 0 … 1.
        public var volume = 1.0
        public var loop = true
        public var fit = PictureFit.fill
        /// Clips longer than this go on where they were left.
        public var resumeOver: Duration = .seconds(60)
    }

    public struct Cache: Sendable, Equatable {
        /// In bytes.
        public var size: Int64 = 500 << 20
        public var lowWater = 0.8
        public var age: Duration = .seconds(90 * 86_400)
        /// How many bytes are saved at a time.
        public var saveEvery = SaveEvery.normal
        public var encrypts = false
        /// 32 bytes.
        public var key: [UInt8]?
        /// Where the key is read from, if it is not here.
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
        /// Whether paging waits until the clip in view is ready.
        public var hasGate = false
        public var theme = Automatic<Theme.Name>()
    }

    public var home = Home()
    public var playback = Playback()
    public var cache = Cache()
    public var prefetch = Prefetch()
    public var interface = Interface()
    public var network = NetworkOptions()
    /// URLs that begin with `from` are read where they begin with `to` instead.
    public var rewrites: [URLRewriter.Rule] = []

    /// The keys of actions, where they are not flick's own.
    public var keys: [Action: [Key]] = [:]

    public init() {}
}

/// How many bytes of a download are saved at a time: a kill loses at most that many of each.
public enum SaveEvery: Sendable, Equatable {
    case bytes(Int)
    /// Nothing is saved.
    case off

    static let normal = SaveEvery.bytes(512 << 10)
    static let names: [(name: String, value: SaveEvery)] = [
        ("default", normal), ("conservative", .bytes(256 << 10)), ("aggressive", .bytes(1 << 20)), ("off", .off),
    ]
}

/// A choice, or that flick chooses by what it finds.
public struct Automatic<Choice: CaseIterable & RawRepresentable<String> & Sendable & Equatable>: Sendable, Equatable {
    /// nil: automatic.
    public var choice: Choice?

    public init() {}

    /// "auto", or a choice by its name; nil for any other text.
    public init?(_ name: String) {
        if name != "auto" {
            guard let choice = Choice(rawValue: name) else { return nil }
            self.choice = choice
        }
    }

    public static var names: [String] { ["auto"] + Choice.allCases.map(\.rawValue) }
}
