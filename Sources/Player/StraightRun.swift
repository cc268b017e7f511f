import Bytes
import Model
import Wire

/// A clip decoded from a time on, picture after picture, without clock and sound: for `preview` and `probe`.
///
/// Lives on one thread and blocks there: it answers the decoder's reads between pictures. The decoder works ahead meanwhile, as far as
/// its ring has room.
public final class StraightRun {
    public enum Step {
        case opened(MediaInfo)
        case picture(PictureHeader)
        case ended
    }

    private let process: DecoderProcess
    private let url: String
    private var server: ReadServer

    /// Starts a decoder and opens `url`.
    ///
    /// - Parameter pictures: nil if only the clip's facts are wanted.
    public init(
        url: String, pictures: SurfaceRequest?, start: Duration, decoderPath: String, door: any ByteDoor
    ) throws(WireError) {
        process = try DecoderProcess.spawn(path: decoderPath)
        self.url = url
        server = ReadServer(door: door)
        if let pictures { try process.channel.send(.surface(pictures)) }
        try process.channel.send(
            .open(url: url, start: start.microseconds, loop: false, sound: false))
    }

    deinit {
        process.kill()
        process.reap()
    }

    /// What comes next. Throws `PlaybackFailure` when the clip cannot be played, `WireError` when the decoder misbehaves or dies.
    public func next() throws -> Step {
        while true {
            let message = try process.channel.receive()
            switch message {
            case .opened(let info): return .opened(info)
            case .picture(let header): return .picture(header)
            case .ended: return .ended
            case .failed(_, let why): throw PlaybackFailure(why: why)
            case .hello(let version):
                guard version == WireLimit.version else { throw WireError.invalid("version") }
            case .sound, .buffered, .variant: break
            case .openURL, .read, .closeURL, .expect:
                if let answer = try server.answer(message, asset: url) { try process.channel.send(answer) }
            }
        }
    }

    /// Borrows a picture's pixels, and gives its slot back afterwards.
    public func take<Result>(_ header: PictureHeader, _ body: (PictureView) throws -> Result) throws -> Result {
        let view = PictureView(
            pixels: process.ring.pixels(of: header.slot),
            size: PixelSize(width: Int(header.width), height: Int(header.height)), stride: Int(header.stride))
        let result = try body(view)
        try process.channel.send(.release(slot: header.slot))
        return result
    }
}

/// Why a clip cannot be played, in one line.
public struct PlaybackFailure: Error, Equatable, CustomStringConvertible {
    public var why: String

    public init(why: String) { self.why = why }

    public var description: String { why }
}
