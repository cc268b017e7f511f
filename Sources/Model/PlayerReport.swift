/// What a player tells the page.
public enum PlayerReport: Sendable, Equatable {
    case opened(ClipFacts)
    /// The three signals of C8 are true: from now on the page shows moving pictures instead of its still.
    case firstFrame
    /// A still (first frame) is there to be shown, before the page plays.
    case still
    case position(Duration, duration: Duration?)
    /// Everything up to this time of the clip is there to be played.
    case buffered(until: Duration)
    /// The parts of a clip of the network that need it no more, in order, as fractions of the clip.
    case held([ClosedRange<Double>])
    /// How loud the last tenth of a second was, 0 … 1: drawn where there is no picture.
    case level(Float)
    case playing
    /// Not playing any more, and nobody on the page asked for it (another player took the sound, the worker died).
    case paused
    /// The clock waits for what is still to come, before it first runs or since it ran dry.
    case stalled(Bool)
    /// What the bytes that it waits for are held up by, in a line; nil: nothing that is known.
    case delayed(String?)
    /// The clip ended and does not loop.
    case ended
    /// A scrub or seek has landed: its picture is there.
    case sought(Duration)
    /// A figure for the diagnostics sheet changed.
    case diagnostics(Diagnostics)
    /// There is no more hope: the error page, with one line on why.
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
    public var surface = ""
    public var color = ""
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
