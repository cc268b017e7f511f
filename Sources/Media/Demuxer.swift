internal import CFFmpeg
import Wire

/// An open clip as packets: a file, or a playlist's segments one after the other. Belongs to the session's thread.
protocol Demuxer: AnyObject {
    var client: ByteClient { get }
    /// The pictures that are played, as they are coded where reading begins; nil if there are none.
    var video: StreamFormat? { get }
    var audio: StreamFormat? { get }
    var info: MediaInfo { get }
    /// How long a picture is shown where nothing else says so; 0 if unknown.
    var pictureDuration: Microseconds { get }
    /// Where the sound ends, of the stamps' time, if that is known to the sample: an encoder fills its last block.
    var soundEnd: Microseconds? { get }
    /// Sound that nobody wants is not even read, where there are pictures to say when the clip is over.
    var wantsAudio: Bool { get set }
    /// How much is to be read ahead of what is decoded.
    var readAheadLimit: ReadAheadLimit { get }
    /// Whether somebody looks: a picture has been shown, and its slot given back.
    var isWatched: Bool { get set }
    /// How long the packets that have been read and not decoded last. Microseconds.
    var timeAhead: () -> Microseconds { get set }

    /// Called after every change: the surface that pictures are for, and what the network was lately seen to carry (bits a second; 0 while unknown).
    func adapt(surface: SurfaceRequest?, link: Int64)

    /// The stamps' time of the clip's beginning, if that is known without reading.
    var knownOrigin: Microseconds? { get }
    /// The stamps' time of the clip's beginning. `first` is the first time that was read.
    func origin(first: Microseconds) -> Microseconds
    /// The next packet. Blocks.
    func next() throws(MediaError) -> Demuxed
    /// Goes to the key picture at or before `time` (of the stamps, not of the clip); false if that cannot be. May block.
    func seek(to time: Microseconds) -> Bool
}

/// What a demuxer has next.
enum Demuxed {
    /// The receiver frees it. The format says how it is coded and what its stamps count; another format than before needs another decoder.
    case packet(UnsafeMutablePointer<AVPacket>, StreamFormat)
    /// Nothing before a moment of `MonotonicTime`: what goes on has not got there yet.
    case later(Microseconds)
    /// An order waits that makes what was being read useless.
    case interrupted
    case end
}

/// How far a demuxer is read ahead of what is decoded.
struct ReadAheadLimit {
    var time: Microseconds
    var bytes: Int
    var packets: Int

    /// Of a file: a little ahead of need, so that a slow line is not felt at once. All of it can be had at any time.
    static let file = ReadAheadLimit(time: .max, bytes: 2 << 20, packets: 200)
}
