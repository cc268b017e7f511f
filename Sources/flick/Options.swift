import App
import ArgumentParser
import Model

extension ColorMode: ExpressibleByArgument {}
extension PictureMode: ExpressibleByArgument {}
/// `--fit` and `--fill`. Without either, the configuration decides, and by default each picture's shape.
enum FitFlag: EnumerableFlag {
    case fit, fill
}

extension PictureFit {
    init(_ flag: FitFlag) {
        switch flag {
        case .fit: self = .fit
        case .fill: self = .fill
        }
    }
}

extension Automatic: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public static var allValueStrings: [String] { names }

    public static var defaultCompletionKind: CompletionKind { .list(names) }
}

extension StartPlace: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }

    public static var allValueStrings: [String] { names }

    public static var defaultCompletionKind: CompletionKind { .list(names) }
}

extension CacheTask: ExpressibleByArgument {}
extension ControlTask: ExpressibleByArgument {}

extension SubtitleCharset: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

/// A size as COLSxROWS.
struct GridSizeArgument: ExpressibleByArgument {
    var size: GridSize

    init?(argument: String) {
        let parts = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let columns = parts[0], let rows = parts[1], (1...1_000).contains(columns),
            (1...1_000).contains(rows)
        else { return nil }
        size = GridSize(columns: columns, rows: rows)
    }
}

/// A time: seconds ("12.5"), with optional minutes and hours before them ("1:02:03.5").
struct TimeArgument: ExpressibleByArgument {
    var time: Duration

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let value = Double(part), value.isFinite, value >= 0, value < 1e7 else { return nil }
            seconds = seconds * 60 + value
        }
        time = .seconds(seconds)
    }
}

/// How pictures are drawn, and whether they are cropped.
struct PictureOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How frames are drawn.", valueName: "kind"))
    var surface: Automatic<PictureMode>?

    @Option(help: ArgumentHelp("Number of colours; mono uses none.", valueName: "colours"))
    var color: Automatic<ColorMode>?

    @Flag(exclusivity: .chooseLast, help: "Fit the frame into the page, or fill the page.")
    var fitFlag: FitFlag?

    var fit: PictureFit? { fitFlag.map { PictureFit($0) } }

    @Option(help: ArgumentHelp("Show at most this many frames per second.", valueName: "n"))
    var fps: Double?

    mutating func validate() throws {
        if let fps, !(fps > 0 && fps <= 1_000) { throw ValidationError("--fps must be above 0 and at most 1000") }
    }
}

/// What `--link` takes.
enum LinkRate {
    /// Less than this carries no pictures at all.
    private static let least: Int64 = 16_000

    static func bitsPerSecond(_ text: String) throws -> Int64 {
        guard let rate = Amount.bitsPerSecond(text), rate >= least else {
            throw ValidationError("--link must be bits per second, such as 1Mbit or 500k, and at least 16k")
        }
        return rate
    }
}

/// What `--sleep` takes.
enum SleepTime {
    static func duration(_ text: String) throws -> Duration {
        guard let time = Amount.duration(text), (.zero...BrowseSettings.longestSleep).contains(time) else {
            throw ValidationError("--sleep must be a time such as 30m or 1h, and at most 1d; 0 is off")
        }
        return time
    }
}

/// What `--sort` takes.
enum SortOrder: String, ExpressibleByArgument, CaseIterable {
    case name, newest, oldest
    /// The same as `--shuffle`.
    case random
}

/// The order of the items.
struct OrderOptions: ParsableArguments {
    @Flag(help: "Shuffle the items; same as --sort random.")
    var shuffle = false

    @Option(
        help: ArgumentHelp(
            "Sort the items by name, or by date of publication (files: last change).", valueName: "order"
        ))
    var sort: SortOrder?

    mutating func validate() throws {
        if shuffle, let sort, sort != .random {
            throw ValidationError("--shuffle and --sort \(sort.rawValue) cannot be combined")
        }
    }

    var isRandom: Bool { shuffle || sort == .random }

    /// nil: as the sources have them, or in random order.
    var order: FeedOrder? { sort.flatMap { FeedOrder(rawValue: $0.rawValue) } }
}

struct StateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("State directory (default: $XDG_STATE_HOME/flick).", valueName: "folder"),
        completion: .directory)
    var stateDir: String?
}

struct LimitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("List at most this many items.", valueName: "n"))
    var limit: Int?

    mutating func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit must be at least 0") }
    }
}

/// Where trace and log are written, and how much is logged.
struct ReportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Write a trace of events, one JSON object per line.", valueName: "file"),
        completion: .file())
    var trace: String?

    @Option(
        help: ArgumentHelp("Log level: \(LogLevel.names).", valueName: "level"),
        completion: .list(LogLevel.all))
    var logLevel = "warning"

    @Option(
        help: ArgumentHelp("Log file (default: flick.log in the state directory).", valueName: "file"),
        completion: .file())
    var log: String?

    @OptionGroup var state: StateOptions

    mutating func validate() throws {
        guard LogLevel.isKnown(logLevel) else {
            throw ValidationError("--log-level '\(logLevel)' must be one of \(LogLevel.names)")
        }
    }

    var settings: ReportSettings {
        ReportSettings(trace: trace, logLevel: logLevel, log: log, stateFolder: state.stateDir)
    }
}

/// Whether there is sound, and how loud it is.
struct SoundOptions: ParsableArguments {
    @Flag(help: "Start muted; m unmutes.")
    var mute = false

    @Flag(help: "Do not open an audio device.")
    var noAudio = false
}

/// Where the configuration and the cache are.
struct PathOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Configuration file (default: config.toml in $XDG_CONFIG_HOME/flick).", valueName: "file"),
        completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp("Cache directory (default: $XDG_CACHE_HOME/flick).", valueName: "folder"),
        completion: .directory)
    var cacheDir: String?

    func setup(keepsCache: Bool = true) throws -> Setup {
        try Setup(config: config, cacheFolder: cacheDir, keepsCache: keepsCache)
    }
}

/// Where the configuration and the cache are, and whether the cache is used.
struct ProviderOptions: ParsableArguments {
    @OptionGroup var paths: PathOptions

    @Flag(help: "Do not read or write the cache.")
    var noCache = false

    func setup() throws -> Setup { try paths.setup(keepsCache: !noCache) }
}
