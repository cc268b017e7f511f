internal import CFFmpeg
import Wire

/// Gives the packets of an open clip: a file, or the segments of a playlist. On the session's thread.
protocol Demuxer: AnyObject {
    var client: ByteClient { get }
    /// How the pictures are coded where reading begins; nil without pictures.
    var video: StreamFormat? { get }
    var audio: StreamFormat? { get }
    var info: MediaInfo { get }
    /// How the pictures come to stand upright, unless one says it itself.
    var orientation: Orientation { get }
    /// How long a picture is shown if nothing else says so, in microseconds; 0 if unknown.
    var pictureDuration: Microseconds { get }
    /// Where the sound ends, in the time of the stamps, if known to the sample. (An encoder fills up its last block.)
    var soundEnd: Microseconds? { get }
    /// The loudness of the chosen sound track according to the file's tags, in LUFS; nil without a tag.
    var taggedLoudness: Double? { get }
    /// Whether sound is read. Unwanted sound is skipped if there are pictures, which show when the clip ends.
    var wantsAudio: Bool { get set }
    /// What became of the packets so far.
    var packetUse: () -> PacketUse { get set }
    /// How far to read ahead of decoding now.
    ///
    /// - Parameter isWatched: whether the clip is visible: a picture was shown, and its slot released.
    func readAheadLimit(isWatched: Bool) -> ReadAheadLimit

    /// Called after every change of the surface that pictures are made for, or of the network's measured speed (bits a
    /// second; 0 while unknown).
    func adapt(surface: SurfaceRequest?, link: Int64)

    /// Reads another variant from the next segment on, or from where the seek goes that follows. Does not block.
    func chooseVariant(_ wish: VariantWish)

    /// Whether the times of pictures are known only by counting them. Then every seek reads from the first picture.
    var countsPictures: Bool { get }
    /// The stamp at the clip's beginning, if that is known without reading.
    var knownOrigin: Microseconds? { get }
    /// The stamp at the clip's beginning. `first` is the first stamp that was read.
    func origin(first: Microseconds) -> Microseconds
    /// The next packet. Blocks.
    func next() throws(MediaError) -> Demuxed
    /// Reads this one of `info.soundTracks` from now on; a seek follows if the clip is seekable. May block.
    ///
    /// - Parameter place: where the sound continues without a seek.
    func chooseSound(_ track: Int, from place: Microseconds) throws(MediaError)
    /// Reads this one of `info.textTracks`; nil: none.
    func chooseText(_ track: Int?)
    /// Seeks to the key frame at or before `time` (a stamp, not a time of the
    /// clip); false if that is impossible. May block.
    func seek(to time: Microseconds) -> Bool
    /// Seeks to the sound at `time` (a stamp), wherever the pictures are; false if that is impossible. May block.
    func seekSound(to time: Microseconds) -> Bool
}

/// What a demuxer returns next.
enum Demuxed {
    /// A packet, which the receiver frees. The format says how it is
    /// coded and its time base; a change of format needs another decoder.
    case packet(UnsafeMutablePointer<AVPacket>, StreamFormat)
    /// Pieces of the chosen text.
    case text([TextCue])
    /// Pictures continue without sound for now.
    case noSound
    /// Nothing until that moment of `MonotonicTime`: a live stream has no more segments yet.
    case later(Microseconds)
    /// A waiting order makes further reading useless.
    case interrupted
    case end
}

/// A piece of a text track, without markup. Its times are stamps.
struct TextCue: Equatable {
    var start: Microseconds
    var end: Microseconds
    /// Its lines are parted by "\n"; not empty.
    var text: String
}

/// What became of a clip's packets.
struct PacketUse {
    /// How long those last that were read and not decoded.
    var ahead: Microseconds = 0
    /// How long those lasted that the decoders took, since the clip was opened. What a seek skips does not count.
    var taken: Microseconds = 0
    /// How fast the clip plays.
    var pace = 1.0

    /// How long until `ahead` is decoded.
    var stock: Microseconds { Microseconds(Double(ahead) / max(pace, 0.01)) }
}

/// How far to read ahead of decoding.
struct ReadAheadLimit {
    var time: Microseconds
    var bytes: Int
    var packets: Int

    /// For a file: a little ahead, so that a slow network is not noticed at once. All of it is available at any time.
    static let file = ReadAheadLimit(time: .max, bytes: 2 << 20, packets: 200)
}
