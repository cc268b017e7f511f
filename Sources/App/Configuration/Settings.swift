import Feeds
import Model
import Platform
import UI

/// The version that `--version` and the trace show.
public let version = "1.0.0"

/// The order of items: by name, newest first, or oldest first.
public typealias FeedOrder = FeedOptions.Order

/// The colours of text and sheets.
public typealias ThemeName = Theme.Name

/// The options of `flick browse`. A value.
public struct BrowseSettings: Sendable {
    public var sources: [FeedSource]
    /// nil: the mode that suits the terminal.
    public var pictureMode: PictureMode?
    public var color: ColorMode?
    /// nil: the theme that suits the terminal's background.
    public var theme: Theme.Name?
    public var output: ScreenOutput?
    public var fit: PictureFit
    /// The most pictures a second; nil: as many as the clip has.
    public var fps: Double?
    /// The most bits a second to the terminal; nil: as many as it takes.
    public var link: Int64?
    /// 0 … 1.
    public var volume: Double
    public var muted: Bool
    public var speed: Double
    /// A file of subtitles for all items; a path or a URL.
    public var subtitleFile: String?
    /// What the command line says of how the page is set.
    private let chosen: PageMemory
    /// `--theme`; nil without it.
    let chosenTheme: Automatic<Theme.Name>?
    /// The encoding of subtitles that are not Unicode.
    public var subtitleCharset: SubtitleCharset
    /// Whether a sound device is opened at all.
    public var audio: Bool
    /// The index of the first item shown, from 0; nil: where the feed was left.
    public var start: Int?
    public var shuffle: Bool
    /// nil: the order of the sources.
    public var order: FeedOrder?
    public var loop: Bool
    public var autoAdvance: Bool
    /// Playing stops after this time; nil: it does not.
    public var sleep: Duration?
    /// The longest that `sleep` may be.
    public static let longestSleep = Duration.seconds(86_400)
    public var reducedMotion: Bool
    /// The page is printed as lines instead of being drawn.
    public var plain: Bool
    public var report: ReportSettings
    public var setup: Setup
    /// Those that `speed` may be.
    public static let speeds = Playback.speeds
    /// Whether the sources come from the configuration instead of the command line.
    public var isHome: Bool
    /// The place to begin at; nil: the sources.
    let firstPlace: StartPlace?

    /// The configuration replaces nil values, and an empty list of sources.
    public init(
        sources: [String], pictureMode: Automatic<PictureMode>?, color: Automatic<ColorMode>?,
        output: Automatic<ScreenOutput>?, fit: PictureFit?,
        fps: Double?, link: Int64? = nil, muted: Bool, audio: Bool, start: Int?, shuffle: Bool,
        order: FeedOrder?, loop: Bool?, autoAdvance: Bool, reducedMotion: Bool?, plain: Bool? = nil,
        subtitleCharset: SubtitleCharset? = nil, subtitleFile: String? = nil, volume: Double? = nil,
        speed: Double? = nil, sleep: Duration? = nil, theme: Automatic<Theme.Name>? = nil,
        firstPlace: StartPlace? = nil, dataSaver: Bool? = nil, report: ReportSettings, setup: Setup
    ) {
        var setup = setup
        if let dataSaver { setup.configuration.playback.savesData = dataSaver }
        let configuration = setup.configuration
        var chosen = PageMemory()
        (chosen.volume, chosen.isMuted, chosen.speed, chosen.fit) = (volume, muted ? true : nil, speed, fit)
        chosen.theme = theme?.choice
        (self.chosen, chosenTheme) = (chosen, theme)
        self.subtitleFile = subtitleFile
        self.subtitleCharset = subtitleCharset ?? configuration.subtitles.charset
        isHome = sources.isEmpty && !setup.homeSources.isEmpty
        self.sources = isHome ? setup.homeSources : sources.map { FeedSource($0) }
        self.pictureMode = (pictureMode ?? configuration.interface.surface).choice
        self.color = (color ?? configuration.interface.color).choice
        self.theme = (theme ?? configuration.interface.theme).choice
        self.output = (output ?? configuration.interface.output).choice
        self.fit = fit ?? configuration.playback.fit
        self.fps = fps
        self.link = link
        self.volume = volume ?? configuration.playback.volume
        self.speed = speed ?? 1
        self.muted = muted
        self.audio = audio
        self.start = start
        self.shuffle = shuffle
        self.order = order
        self.loop = loop ?? configuration.playback.loop
        self.autoAdvance = autoAdvance
        let wanted = sleep ?? configuration.playback.sleep
        self.sleep = wanted > .zero ? wanted : nil
        self.reducedMotion = reducedMotion ?? configuration.interface.reducedMotion
        self.plain = plain ?? configuration.interface.isPlain
        self.firstPlace = firstPlace
        self.report = report
        self.setup = setup
    }

    /// The places of the session. Throws if there is not the one to begin at.
    func places() throws(AppError) -> PlaceSources {
        try PlaceSources(
            named: isHome ? [] : Installation.sourcesOrDemo(sources), home: setup.homeSources,
            first: firstPlace?.place, hasForYou: setup.configuration.forYou.isEnabled, remembers: libraryPath != nil,
            keepsCache: setup.cache != nil)
    }

    /// Where flick remembers what is done; nil if it does not.
    var libraryPath: String? { setup.configuration.engagement.remembers ? report.libraryPath : nil }

    /// The same for how the page is set.
    var memoryPath: String? { setup.configuration.engagement.remembers ? report.memoryPath : nil }

    /// With the page as it was left, where the command line says nothing else.
    func remembering(_ memory: PageMemory) -> BrowseSettings {
        let all = chosen.or(memory)
        var settings = self
        settings.volume = all.volume ?? volume
        settings.muted = all.isMuted ?? muted
        settings.speed = all.speed ?? speed
        settings.fit = all.fit ?? fit
        settings.theme = all.theme ?? theme
        return settings
    }
}

/// What `--place` takes. A value.
public struct StartPlace: Sendable {
    let place: Place

    public static let names =
        ["home", "for-you", "following", "library"] + Place.allCases.filter(\.isOfLibrary).map(\.rawValue)

    public init?(_ name: String) {
        guard Self.names.contains(name), let place = name == "library" ? .history : Place(rawValue: name) else {
            return nil
        }
        self.place = place
    }
}

/// The options of `flick preview`. A value.
public struct PreviewSettings: Sendable {
    public var media: String
    public var at: Duration
    /// nil: the terminal's size, or 80×24 without a terminal.
    public var size: GridSize?
    public var video: Bool
    public var untimed: Bool
    /// Every picture of a video exactly, not only the last.
    public var exact: Bool
    public var pictureMode: PictureMode?
    public var color: ColorMode?
    public var fit: PictureFit
    public var fps: Double?
    public var report: ReportSettings
    public var setup: Setup

    /// The configuration replaces nil values.
    public init(
        media: String, at: Duration, size: GridSize?, video: Bool, untimed: Bool, exact: Bool,
        pictureMode: Automatic<PictureMode>?,
        color: Automatic<ColorMode>?, fit: PictureFit?, fps: Double?, report: ReportSettings, setup: Setup
    ) {
        let configuration = setup.configuration
        self.media = media
        self.at = at
        self.size = size
        self.video = video
        self.untimed = untimed
        self.exact = exact
        self.pictureMode = (pictureMode ?? configuration.interface.surface).choice
        self.color = (color ?? configuration.interface.color).choice
        self.fit = fit ?? configuration.playback.fit
        self.fps = fps
        self.report = report
        self.setup = setup
    }
}

/// Where trace and log are written, and how much is logged. A value.
public struct ReportSettings: Sendable {
    public var trace: String?
    public var logLevel: String
    /// nil: `flick.log` in the state folder.
    public var log: String?
    /// nil: `flick` in the XDG state folder.
    public var stateFolder: String?

    public init(trace: String? = nil, logLevel: String = "warning", log: String? = nil, stateFolder: String? = nil) {
        self.trace = trace
        self.logLevel = logLevel
        self.log = log
        self.stateFolder = stateFolder
    }
}
