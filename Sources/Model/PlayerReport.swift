/// A player's report about its item, for the page that shows it. A value.
public enum PlayerReport: Sendable, Equatable {
    case opened(ClipFacts)
    /// It is not open any longer. What it has stays true.
    case closed
    /// The first real frame is on the terminal: from now on the page shows moving pictures instead of its still.
    case firstFrame
    /// A picture is there and can be shown, perhaps before the clip plays. Its size, in pixels of the surface. Sent
    /// for the first one, and when the size changes.
    case picture(PixelSize)
    case position(Duration, duration: Duration?)
    /// Everything up to this time of the clip has been read and can be played.
    case buffered(until: Duration)
    /// The cached parts of a clip, in order, as fractions of the clip. Only for clips from a network.
    case cached([ClosedRange<Double>])
    /// Whether the user keeps it offline, and how far that is. Only for clips from a network.
    case offline(OfflineState)
    /// The radio's current title from the server, not cleaned; nil if the server does not send one.
    case title(String?)
    /// How loud the last tenth of a second was, 0 … 1: drawn if there is no picture.
    case level(Float)
    case playing
    /// It stopped without a request from the page: another player began to play.
    case paused
    /// Whether the clock waits for pictures or sound, at the start or after they ran out.
    case stalled(Bool)
    /// Why it waits, once it has waited for a moment; nil when that is over.
    case waits(ClipWait?)
    /// The clip ended and does not loop.
    case ended
    /// A scrub or seek has finished: its picture is there.
    case sought(Duration)
    /// A figure of the diagnostics sheet changed.
    case diagnostics(Diagnostics)
    /// This one of its sounds is played from now on: a place in `ClipFacts.soundTracks`.
    case soundTrack(Int)
    /// The cues of the chosen text track around the position, in order; repeated
    /// after a seek, and when another track is chosen.
    case cues([Cue])
    /// It cannot be played: why in one line for the error page, and what can be done; more of it for the diagnostics.
    /// Both may be empty.
    case failed(String, advice: String = "", detail: String = "")
}

/// A turn in an item's playback, whichever page is in view. Engagement is derived from it, and the trace lists it. A
/// value.
public enum PlaybackEvent: Sendable, Equatable {
    /// The first real frame of a claim is on the terminal. `pts` is on the clip's timeline, `sincePage` the time since
    /// the claim.
    case started(pts: Duration, sincePage: Duration, how: ClaimKind)
    /// Its decoder is replaced, because of this `check` of the watchdog.
    case recovering(check: String, attempt: Int, why: String)
}

/// Where the player of a page came from.
public enum ClaimKind: String, Sendable {
    case resume, warm, pool, cold
}

/// The properties of a clip that are known once it is open. A value.
public struct ClipFacts: Sendable, Equatable {
    public var duration: Duration?
    public var isSeekable: Bool
    public var hasVideo: Bool
    public var hasAudio: Bool
    public var isStill: Bool
    public var container: String
    public var video: String?
    public var audio: String?
    /// The displayed size in square pixels.
    public var displaySize: PixelSize?
    /// In order, all in the clip.
    public var chapters: [Chapter] = []
    /// The audio tracks to choose from, and the index of the one that plays; nil if none of them does.
    public var soundTracks: [ClipTrack] = []
    public var soundTrack: Int?
    /// The texts to choose from.
    public var textTracks: [ClipTrack] = []
    /// What its playlist offers, in the playlist's order; empty for other clips.
    public var variants: [ClipVariant] = []
    public var tags = Tags()

    /// The file's own tags, cleaned, each on one line; empty if it has none.
    public struct Tags: Sendable, Equatable {
        public var title: String
        public var artist: String
        public var album: String
        /// Whether they name the item, as its title says no more than its file's name.
        public var nameItem = false

        public init(title: String = "", artist: String = "", album: String = "") {
            (self.title, self.artist, self.album) = (title, artist, album)
        }
    }

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

/// Figures of a playing clip for the diagnostics sheet. A value.
public struct Diagnostics: Sendable, Equatable {
    public var shown = 0
    public var dropped = 0
    public var picturesPerSecond = 0.0
    public var bytesPerSecond = 0
    /// The terminal's; nil where it answers no questions.
    public var roundTrip: Duration?
    /// In bytes a second, what the terminal takes; nil where that is more than is wanted.
    public var terminalRate: Int?
    public var picture = PixelSize(width: 0, height: 0)
    /// Sound against picture; positive if the picture is late.
    public var drift: Duration = .zero
    public var decoderPID: Int32 = 0
    public var recoveries = 0
    /// Why the last decoder was replaced, in a few words; nil if none was.
    public var lastRecovery: String?
    /// The variant of a playlist that is being read.
    public var variant: ClipVariant?
    /// The network's recently measured speed in bits a second; nil while unknown, and for files.
    public var throughput: Int64?
    /// How much can be played from the current position on; nil for files.
    public var ahead: Duration?
    /// nil while there is no estimate, and if clips play as loud as they are.
    public var loudness: ClipLoudness?

    public init() {}
}

/// Where a clip's loudness comes from. Its number is that of messages of decoders.
public enum LoudnessOrigin: UInt8, Sendable {
    /// The file's tags, and what was measured so far.
    case tag
    /// What was measured so far.
    case partial
    /// The whole clip was measured.
    case whole
}

/// How loud a clip's sound is, and by how much flick changes that. A value.
public struct ClipLoudness: Sendable, Equatable {
    /// In LUFS.
    public var loudness: Double
    /// In dB.
    public var gain: Double
    public var origin: LoudnessOrigin

    public init(loudness: Double, gain: Double, origin: LoudnessOrigin) {
        self.loudness = loudness
        self.gain = gain
        self.origin = origin
    }
}

/// A variant of a stream, as a playlist offers it. A value.
public struct ClipVariant: Sendable, Equatable {
    /// nil if the playlist does not say.
    public var size: PixelSize?
    /// Bits a second; 0 if unknown.
    public var bitrate: Int64
    /// Why it was chosen, in one line.
    public var why: String
    /// Whether it can be chosen.
    public var isPlayable = true

    public init(size: PixelSize?, bitrate: Int64, why: String) {
        self.size = size
        self.bitrate = bitrate
        self.why = why
    }
}

/// What the user has set for one clip. A value.
public struct ClipTuning: Sendable, Equatable {
    /// The variant to play, a place in `ClipFacts.variants`; nil: the one that fits best.
    public var variant: Int?
    /// How much later than its pictures the audio is played; negative: earlier.
    public var audioDelay = Duration.zero
    /// How much later than their text says subtitles are shown; negative: earlier.
    public var subtitleDelay = Duration.zero

    public init() {}
}

/// Why a clip that should play waits. A value.
public struct ClipWait: Sendable, Equatable {
    /// The source of its bytes: a host, or the name of a file of this machine. Not cleaned.
    public var place: String
    public var isRemote: Bool
    /// How much of what is needed has come, 0 … 1; nil while that is not known.
    public var share: Double?
    /// The speed of the network in bytes a second; nil while unknown, and for files of this machine.
    public var speed: Int64?
    /// Why bytes are late, in one line; nil if nothing has failed.
    public var trouble: String?

    public init(
        place: String, isRemote: Bool, share: Double? = nil, speed: Int64? = nil, trouble: String? = nil
    ) {
        self.place = place
        self.isRemote = isRemote
        self.share = share
        self.speed = speed
        self.trouble = trouble
    }
}
