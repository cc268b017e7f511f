/// What a player reports of its item, for the page that shows it.
public enum PlayerReport: Sendable, Equatable {
    case opened(ClipFacts)
    /// The three signals of C8 are true: from now on the page shows moving pictures instead of its still.
    case firstFrame
    /// The first picture is there, and can be shown before the clip plays.
    case still
    case position(Duration, duration: Duration?)
    /// Everything up to this time of the clip has been read, and can be played.
    case buffered(until: Duration)
    /// The parts of a clip that are cached, in order, as fractions of the clip. Only of clips that come over a network.
    case cached([ClosedRange<Double>])
    /// How loud the last tenth of a second was, 0 … 1: drawn where there is no picture.
    case level(Float)
    case playing
    /// Not playing any more, although nobody on the page asked for it: another player began to play.
    case paused
    /// The clock waits for pictures or sound that have not come yet, before it first runs or since it ran dry; false: it runs again.
    case stalled(Bool)
    /// Why the bytes that it waits for do not come, in a line; nil: they come, or nobody knows why not.
    case delayed(String?)
    /// The clip ended and does not loop.
    case ended
    /// A scrub or seek has arrived: its picture is there.
    case sought(Duration)
    /// A figure for the diagnostics sheet changed.
    case diagnostics(Diagnostics)
    /// It cannot be played: one line on why, for the error page.
    case failed(String)
}

/// What is known of a clip once it is open.
public struct ClipFacts: Sendable, Equatable {
    public var duration: Duration?
    public var isSeekable: Bool
    public var hasVideo: Bool
    public var hasAudio: Bool
    public var isStill: Bool
    public var container: String
    public var video: String?
    public var audio: String?
    /// Shown size in square pixels.
    public var displaySize: PixelSize?

    public init(
        duration: Duration?, isSeekable: Bool, hasVideo: Bool, hasAudio: Bool, isStill: Bool = false,
        container: String = "", video: String? = nil, audio: String? = nil, displaySize: PixelSize? = nil
    ) {
        self.duration = duration
        self.isSeekable = isSeekable
        self.hasVideo = hasVideo
        self.hasAudio = hasAudio
        self.isStill = isStill
        self.container = container
        self.video = video
        self.audio = audio
        self.displaySize = displaySize
    }
}

/// Figures of a playing clip, for the diagnostics sheet.
public struct Diagnostics: Sendable, Equatable {
    public var shown = 0
    public var dropped = 0
    public var picturesPerSecond = 0.0
    public var bytesPerSecond = 0
    public var picture = PixelSize(width: 0, height: 0)
    /// Sound against picture, positive when the picture is late.
    public var drift: Duration = .zero
    public var decoderPID: Int32 = 0
    public var recoveries = 0
    /// Of a playlist's variants the one that is read.
    public var variant: ClipVariant?
    /// What the network was lately seen to carry, in bits a second; nil while unknown, and for files.
    public var throughput: Int64?
    /// How much of the clip is there to be played from where it stands on; nil for files.
    public var ahead: Duration?

    public init() {}
}

/// One of the forms that a playlist offers the same film in.
public struct ClipVariant: Sendable, Equatable {
    /// nil if the playlist does not tell.
    public var size: PixelSize?
    /// Bits a second; 0 if unknown.
    public var bitrate: Int64
    /// Why it was chosen, in one line.
    public var why: String

    public init(size: PixelSize?, bitrate: Int64, why: String) {
        self.size = size
        self.bitrate = bitrate
        self.why = why
    }
}
