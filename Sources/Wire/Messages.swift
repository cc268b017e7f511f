import Model

/// A time in a clip or on its timeline, in microseconds: the only unit of time between flick and its decoders.
public typealias Microseconds = Int64

/// A message from flick to a decoder. A session begins with `surface` and `open`; the others may follow in any order.
public enum ToDecoder: Equatable, Sendable {
    /// Open the media at `url`; all its bytes are requested with `openURL`
    /// and `read`. Pictures and sound of serial 0 follow from `start` on.
    case open(url: String, start: Microseconds, loop: Bool, sound: Bool)
    /// Answers `openURL`. `url` is where the bytes were found after all redirections: relative
    /// references in them start there. `length` is in bytes, -1 if unknown; `error` is empty, or
    /// one line on why there is nothing to read. For the clip itself it is sent again when more
    /// is known: the length, or that all of it is available, so that it can be read at any place.
    case source(id: UInt32, url: String, length: Int64, seekable: Bool, error: String)
    /// Answers `read`: bytes from `offset` on, at most as many as requested;
    /// empty at the end. `error` is empty, or why the read failed.
    case data(id: UInt32, offset: Int64, bytes: [UInt8], error: String)
    /// The pictures that are wanted from now on. Those of another `generation` in flight are dropped by flick.
    case surface(SurfaceRequest)
    /// How fast the clip plays, in thousandths of its normal speed (250…4000). Sound
    /// is stretched to it, its pitch kept; PTS stay those of the clip. Comes just
    /// before a `seek`, which flushes sound that was stretched for another speed.
    case rate(thousandths: UInt32)
    /// Drop everything, go to `time` (of the clip), and continue with `serial`.
    case seek(serial: UInt32, time: Microseconds, mode: SeekMode)
    case loop(Bool)
    /// Whether sound is wanted; a muted clip's is, a `--no-audio` one's is not.
    case sound(Bool)
    /// These slots of the ring may be written again: at most as many as it has.
    case release(slots: [UInt32])
    /// The decoder may send this many more frames of sound. It starts with none.
    case credit(frames: UInt32)
    case close
    /// What the network was lately seen to carry; 0 while unknown. Comes before
    /// `open`, and again when it has changed by a tenth.
    case link(bitsPerSecond: Int64)
    /// Make one picture of the image or clip at `url`: the one at `time`, or the last one if
    /// it is shorter. Any number of these may follow each other, in place of `open`, after a
    /// `surface`. Answered by `still` or `noStill`; until then only messages about bytes come.
    case still(id: UInt32, url: String, time: Microseconds)
    /// The clip is not in view: read only this much of it ahead, make a few pictures, and start with a variant of at
    /// most this bit rate. Comes before `open` of a clip that is opened ahead of need, and when its page is left.
    case warm(time: Microseconds, bitsPerSecond: Int64)
    /// The clip is in view. Comes once its first picture is on the terminal, or 10 ms after its page.
    case watched
    /// The languages that sound is wanted in, the best first: tags as files
    /// write them ("de", "ger"). Comes before `open`.
    case soundLanguages([String])
    /// Play this one of `MediaInfo.soundTracks`. Comes just before a `seek`, which drops the rest of the other track.
    case soundTrack(UInt32)
    /// Send the cues of this one of `MediaInfo.textTracks`; nil: of none. Comes before `open`, or just before a `seek`.
    case textTrack(UInt32?)
    /// Play all sound at this loudness, in hundredths of LUFS. Comes before `open`; without it, sound stays as it is.
    case loudness(target: Int32)
    /// Which of `MediaInfo.variants` to read where a segment begins. Comes before `open`, and at any time after it.
    case variant(VariantWish)
    /// Put the clip at `url` into one file, without decoding it. Comes once, in place of `open`; answered by `muxed` as
    /// often as is needed, and `ended`.
    case mux(url: String)
}

/// Which variant of a playlist is wanted.
public enum VariantWish: Equatable, Sendable {
    /// The one that suits the surface and the network.
    case automatic
    /// The one with the fewest bits that can still be watched.
    case smallest
    /// This one of `MediaInfo.variants`, unless it cannot be read.
    case index(UInt32)
}

/// Which picture a seek goes to.
public enum SeekMode: UInt8, Sendable {
    /// The picture shown at the time: the last one that begins at or before it.
    case exact
    /// The key picture at or before the time: quick, for scrubbing.
    case key
    /// The picture just before the one shown at the time.
    case before
    /// The picture just after the one shown at the time.
    case after
}

/// The pictures a surface wants.
public struct SurfaceRequest: Equatable, Sendable {
    public var generation: UInt32
    /// The most that the picture may measure, in pixels of the surface. A picture that fills measures exactly this.
    public var width: UInt32
    public var height: UInt32
    /// A surface pixel's width divided by its height, as a fraction: 1/1 is square.
    public var aspectNumerator: UInt32
    public var aspectDenominator: UInt32
    public var fit: PictureFit

    public init(
        generation: UInt32, width: UInt32, height: UInt32, aspectNumerator: UInt32 = 1, aspectDenominator: UInt32 = 1,
        fit: PictureFit
    ) {
        self.generation = generation
        self.width = width
        self.height = height
        self.aspectNumerator = aspectNumerator
        self.aspectDenominator = aspectDenominator
        self.fit = fit
    }
}

/// A message from a decoder to flick. Nothing in it is trusted: a decoder that
/// reads a hostile file may be under its control.
public enum FromDecoder: Equatable, Sendable {
    /// The first message, once everything is loaded and all rights that decoding does not need are dropped.
    case hello(version: UInt32, confinement: Confinement = [])
    /// Open `want.url` for reading. Answered by `source`. `isPatient`: whether the decoder opens it again later if it
    /// gets an error.
    case openURL(id: UInt32, want: ByteWant, isPatient: Bool = false)
    /// Read `count` bytes of source `id` from `offset` on: at most
    /// `WireLimit.read`. Answered by `data`, which may hold fewer. `isPatient`: whether the decoder has something to
    /// play meanwhile, and asks again if it gets an error.
    case read(id: UInt32, offset: Int64, count: UInt32, isPatient: Bool = false)
    /// Source `id` is not read any more; an unanswered `read` is dropped.
    /// Likewise, a `read` of a source drops an unanswered one before it.
    case closeURL(id: UInt32)
    /// This will probably be opened soon: it may be fetched ahead.
    case expect(ByteWant)
    /// From now on variant `index` of `MediaInfo.variants` is read, and why.
    case variant(index: UInt32, why: String)
    case opened(MediaInfo)
    /// The clip is seekable now, although `opened` said that it was not.
    case seekable
    case picture(PictureHeader)
    /// 48 kHz stereo, 16 bits, left and right in turn, little-endian: `samples.count / 2` frames.
    case sound(serial: UInt32, pts: Microseconds, mediaTime: Microseconds, samples: [Int16])
    /// Where on the timeline playing begins, after the opening or the seek of `serial`: with its first picture, which
    /// may have begun before or begin later.
    case begins(serial: UInt32, at: Microseconds)
    /// Since the seek of `serial`, everything up to this time of the clip has been read and demuxed.
    case buffered(serial: UInt32, until: Microseconds)
    /// All pictures up to the clip's end have been sent, or the next one is a long way off; its sound may continue.
    /// More come if it loops.
    case through(serial: UInt32)
    /// The clip is over (it does not loop) and everything of `serial` has been sent.
    case ended(serial: UInt32)
    /// Nothing more will come. `why` says what is wrong in one line of plain words, `advice`
    /// what can be done, and `detail` more for those who look for the cause; both may be empty.
    case failed(code: FailureCode, why: String, advice: String = "", detail: String = "")
    /// The picture of the `still` with this number.
    case still(id: UInt32, PictureHeader)
    /// There is no still; `why` is the reason.
    case noStill(id: UInt32, code: FailureCode, why: String)
    /// A piece of the chosen text: when it is shown, in the clip, and its lines, without markup. Text is read ahead as
    /// pictures are; a clip that begins again says it again.
    case cue(serial: UInt32, start: Microseconds, end: Microseconds, text: String)
    /// How loud the sound is, and its gain; at most once in a second of sound.
    case loudness(SoundLoudness)
    /// A part of the file that `mux` wants, at most `WireLimit.muxed` bytes. It can replace what came before, and
    /// begins at the end of that at the latest.
    case muxed(MuxedContainer, offset: Int64, bytes: [UInt8])
}

/// What kind of file a clip is put into.
public enum MuxedContainer: UInt8, Sendable { case mp4, matroska }

/// What of its sandbox holds a decoder. A system may not have all of it. (The numbers are those of Sources/CSandbox.)
public struct Confinement: OptionSet, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Memory, open files and core dumps are limited.
    public static let limits = Confinement(rawValue: 1)
    /// Only the system calls that decoding needs are let through (seccomp).
    public static let calls = Confinement(rawValue: 2)
    /// No file, network or other process can be reached, by whatever call (Landlock).
    public static let paths = Confinement(rawValue: 4)
    public static let all: Confinement = [.limits, .calls, .paths]
}

/// The purpose of bytes. It decides whether they are cached.
public enum WireByteRole: UInt8, Sendable, CaseIterable {
    /// A whole file of media, read in any order.
    case media
    /// A playlist or another list of resources to read: text.
    case playlist
    /// A segment of a playlist that is finished: it never changes.
    case segment
    /// A segment of a live playlist.
    case liveSegment
    /// A key that segments are enciphered with.
    case key
}

/// Bytes that a decoder wants.
public struct ByteWant: Equatable, Sendable {
    /// Absolute.
    public var url: String
    public var role: WireByteRole
    /// Of the resource, bytes `offset` ..< `end` are wanted; `end` -1: to its end.
    public var offset: Int64
    public var end: Int64
    /// The part of the clip that a segment holds; from 0 to 0 if unknown.
    public var from: Microseconds
    public var to: Microseconds

    public init(
        url: String, role: WireByteRole, offset: Int64 = 0, end: Int64 = -1, from: Microseconds = 0,
        to: Microseconds = 0
    ) {
        self.url = url
        self.role = role
        self.offset = offset
        self.end = end
        self.from = from
        self.to = to
    }
}

/// How loud a clip's sound is, and by how much the decoder changes that.
public struct SoundLoudness: Equatable, Sendable {
    /// In hundredths of LUFS.
    public var loudness: Int32
    /// In hundredths of a dB.
    public var gain: Int32
    public var origin: LoudnessOrigin

    public init(loudness: Int32, gain: Int32, origin: LoudnessOrigin) {
        self.loudness = loudness
        self.gain = gain
        self.origin = origin
    }
}

public enum FailureCode: UInt8, Sendable {
    /// The bytes are unavailable.
    case unreadable
    /// The bytes are no media that can be demuxed.
    case notMedia
    /// There are streams, but none that can be decoded.
    case undecodable
    /// Too large, too many, too deep.
    case limits
    /// Anything else: a bug.
    case other
}

/// A picture in the ring.
public struct PictureHeader: Equatable, Sendable {
    public var slot: UInt32
    public var serial: UInt32
    public var generation: UInt32
    /// On the timeline, which keeps rising when the clip loops.
    public var pts: Microseconds
    /// In the clip: from its first picture (0) to its duration.
    public var mediaTime: Microseconds
    /// How long it is shown; 0 if unknown.
    public var duration: Microseconds
    public var width: UInt32
    public var height: UInt32
    /// Pixels from one row to the next. A pixel is four bytes: blue, green, red, nothing.
    public var stride: UInt32
    public var isKey: Bool
    /// Decoded with errors: it may be shown, but it is no first real frame.
    public var isCorrupt: Bool

    public init(
        slot: UInt32, serial: UInt32, generation: UInt32, pts: Microseconds, mediaTime: Microseconds,
        duration: Microseconds, width: UInt32, height: UInt32, stride: UInt32, isKey: Bool = false,
        isCorrupt: Bool = false
    ) {
        self.slot = slot
        self.serial = serial
        self.generation = generation
        self.pts = pts
        self.mediaTime = mediaTime
        self.duration = duration
        self.width = width
        self.height = height
        self.stride = stride
        self.isKey = isKey
        self.isCorrupt = isCorrupt
    }
}

/// The contents of a media file.
public struct MediaInfo: Equatable, Sendable {
    public struct Stream: Equatable, Sendable {
        public enum Kind: UInt8, Sendable { case video, audio, subtitle, other }
        public var index: UInt32
        public var kind: Kind
        public var codec: String
        public var profile: String
        public var language: String
        /// Bits a second; 0 if unknown.
        public var bitrate: Int64
        /// Video: as coded.
        public var width: UInt32
        public var height: UInt32
        /// Video: "yuv420p"; audio: "fltp".
        public var format: String
        /// Video: pictures a second in thousandths; audio: samples a second.
        public var rate: UInt32
        public var channels: UInt32
        /// Whether it is the one that is played.
        public var isChosen: Bool

        public init(
            index: UInt32, kind: Kind, codec: String, profile: String = "", language: String = "", bitrate: Int64 = 0,
            width: UInt32 = 0, height: UInt32 = 0, format: String = "", rate: UInt32 = 0, channels: UInt32 = 0,
            isChosen: Bool = false
        ) {
            self.index = index
            self.kind = kind
            self.codec = codec
            self.profile = profile
            self.language = language
            self.bitrate = bitrate
            self.width = width
            self.height = height
            self.format = format
            self.rate = rate
            self.channels = channels
            self.isChosen = isChosen
        }
    }

    /// One of the forms that a playlist offers the same film in.
    public struct Variant: Equatable, Sendable {
        /// Bits a second; 0 if unknown.
        public var bandwidth: Int64
        /// From the playlist; 0 × 0 if it does not say.
        public var width: UInt32
        public var height: UInt32
        /// As the playlist writes them: "avc1.64001f,mp4a.40.2".
        public var codecs: String
        /// Whether it can be opened, has pictures if any variant does, and is in a form that is decoded.
        public var isPlayable = true
        public var isChosen: Bool
        /// Why it was chosen, in one line; empty if it was not.
        public var why: String

        public init(
            bandwidth: Int64 = 0, width: UInt32 = 0, height: UInt32 = 0, codecs: String = "", isChosen: Bool = false,
            why: String = ""
        ) {
            self.bandwidth = bandwidth
            self.width = width
            self.height = height
            self.codecs = codecs
            self.isChosen = isChosen
            self.why = why
        }
    }

    /// The author's metadata for the whole clip; a missing entry
    /// is empty. Cut to `WireLimit.tag` bytes before it is sent.
    public struct Tags: Equatable, Sendable {
        public var title: String
        public var artist: String
        public var album: String
        /// A description, or else a comment.
        public var comment: String
        public var genre: String
        /// As it is written: "2024", "2024-05-01T10:00:00Z".
        public var date: String

        public init(
            title: String = "", artist: String = "", album: String = "", comment: String = "", genre: String = "",
            date: String = ""
        ) {
            (self.title, self.artist, self.album) = (title, artist, album)
            (self.comment, self.genre, self.date) = (comment, genre, date)
        }
    }

    /// libav's short name: "mov,mp4,m4a,3gp,3g2,mj2".
    public var container: String
    /// -1 if unknown (live).
    public var duration: Microseconds
    public var isSeekable: Bool
    /// One picture only, shown until the page is left.
    public var isStill: Bool
    public var streams: [Stream]
    /// Degrees clockwise that the picture is turned to stand upright: 0, 90, 180, 270.
    public var rotation: UInt32
    /// Shown size in square pixels, after rotation and sample aspect; 0 × 0 without video.
    public var displayWidth: UInt32
    public var displayHeight: UInt32
    /// The sample aspect ratio as coded; 1/1 if unknown.
    public var sampleAspectNumerator: UInt32
    public var sampleAspectDenominator: UInt32
    /// What a playlist offers; empty for other files. The streams are those of the chosen one.
    public var variants: [Variant] = []
    public var tags = Tags()
    /// In order, all within the clip.
    public var chapters: [Chapter] = []
    /// What sound there is to choose from, and what text.
    public var soundTracks: [Track] = []
    public var textTracks: [Track] = []

    public init(
        container: String, duration: Microseconds, isSeekable: Bool, isStill: Bool = false, streams: [Stream],
        rotation: UInt32 = 0, displayWidth: UInt32 = 0, displayHeight: UInt32 = 0, sampleAspectNumerator: UInt32 = 1,
        sampleAspectDenominator: UInt32 = 1
    ) {
        self.container = container
        self.duration = duration
        self.isSeekable = isSeekable
        self.isStill = isStill
        self.streams = streams
        self.rotation = rotation
        self.displayWidth = displayWidth
        self.displayHeight = displayHeight
        self.sampleAspectNumerator = sampleAspectNumerator
        self.sampleAspectDenominator = sampleAspectDenominator
    }

    /// In bytes: approximately what it takes in memory.
    public var size: Int {
        var texts = [container, tags.title, tags.artist, tags.album, tags.comment, tags.genre, tags.date]
        for stream in streams { texts += [stream.codec, stream.profile, stream.language, stream.format] }
        for variant in variants { texts += [variant.codecs, variant.why] }
        for track in soundTracks + textTracks { texts += [track.language, track.title] }
        texts += chapters.map(\.title)
        let count = streams.count + variants.count + chapters.count + soundTracks.count + textTracks.count
        return texts.reduce(count * 128) { $0 + $1.utf8.count }
    }
    public var hasVideo: Bool { streams.contains { $0.kind == .video && $0.isChosen } }
    public var hasAudio: Bool { streams.contains { $0.kind == .audio && $0.isChosen } }
}

/// Limits that both sides hold to.
public enum WireLimit {
    /// Raised with every change of the messages; `hello` carries it.
    public static let version: UInt32 = 17
    /// The most bytes of one `data`.
    public static let read = 1 << 20
    /// The most bytes of one `muxed`.
    public static let muxed = 512 << 10
    /// The most frames of one `sound`.
    public static let soundFrames = 4_096
    /// The most bytes of one message, its length not counted.
    public static let message = (1 << 20) + 4_096
    /// The most bytes of one text: a URL, or a message about one.
    public static let text = 16_384
    /// The most bytes of a decoder's message in words; longer ones are cut before they are sent.
    public static let words = 1_024
    /// The most bytes of a name, as of a codec; cut as `words` are.
    public static let name = 256
    /// The largest side of a clip in square pixels; a larger one is sent as this.
    public static let side: UInt32 = 1 << 20
    /// The most bytes of a tag; cut as `words` are.
    public static let tag = 1_000
    /// The most streams of one `opened`.
    public static let streams = 64
    /// The most variants of one `opened`.
    public static let variants = 64
    /// The most chapters of one `opened`.
    public static let chapters = 1_000
    /// The most sound tracks of one `opened`, and the most text tracks; the most wanted languages.
    public static let tracks = 64
    /// The most bytes of a cue's text; cut as `words` are.
    public static let cue = 1_000
    /// Times, either way: more than a hundred years. Sums with them stay far from the ends of 64 bits.
    public static let time: Microseconds = 1 << 52
    /// Frames a second of all sound.
    public static let sampleRate = 48_000
}
