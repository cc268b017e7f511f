import Bytes
import Model
import Player
import Wire

/// Extracts the still of a clip in a separate decoder process. Any thread.
final class ClipPicture: Sendable {
    /// The most that it measures either way, in pixels.
    static let longest: UInt32 = 640
    /// Many clips begin with one black picture.
    private static let first = Duration.milliseconds(100)
    /// Where a clip that begins with black is looked at again, and up to where.
    private static let later = Duration.seconds(1)..<Duration.seconds(4)

    /// How long a picture may take, whatever its decoder does.
    private let limit: Duration
    let running = RunningDecoders()

    init(limit: Duration) { self.limit = limit }

    /// The clip's picture: at 0.1 s; one after the first second if that is blank. Throws `PlaybackError` if there is
    /// none, `WireError` if the decoder fails. Blocks for some 50 ms, and up to the limit.
    func take(of url: String, provider: any ByteProvider, from nursery: Nursery) throws -> Picture {
        let end = ContinuousClock.now + limit
        do {
            let picture =
                try picture(of: url, from: Self.first, provider, nursery, until: end)
                // It is shorter than that.
                ?? picture(of: url, from: .zero, provider, nursery, until: end)
            guard let picture else { throw PlaybackError(why: "it has no video") }
            return picture
        } catch WireError.silent {
            throw PlaybackError(why: "no frame decoded within \(limit.components.seconds) s")
        }
    }

    private func picture(
        of url: String, from start: Duration, _ provider: any ByteProvider, _ nursery: Nursery,
        until end: ContinuousClock.Instant
    ) throws -> Picture? {
        try running.withDecoder(of: nursery) { try picture(of: url, from: start, provider, $0, until: end) }
    }

    private func picture(
        of url: String, from start: Duration, _ provider: any ByteProvider, _ process: DecoderProcess,
        until end: ContinuousClock.Instant
    ) throws -> Picture? {
        let surface = SurfaceRequest(generation: 1, width: Self.longest, height: Self.longest, fit: .fit)
        let run = LinearDecode(
            process, url: url, pictures: surface, start: start, bytes: MediaBytes(local: provider),
            patience: limit, limit: max(.zero, end - ContinuousClock.now))
        var blank: Picture?
        do {
            while true {
                switch try run.next() {
                case .opened(let info):
                    guard info.hasVideo else { throw PlaybackError(why: "it has audio but no video") }
                case .picture(let header):
                    let time = Duration.microseconds(header.mediaTime)
                    let found: Picture? = try run.withPicture(header) { view in
                        let isWanted = blank == nil || time >= Self.later.lowerBound && !view.isBlank
                        return isWanted ? Picture(copying: view) : nil
                    }
                    if let found {
                        guard found.withView(\.isBlank) else { return found }
                        blank = found
                    }
                    if time >= Self.later.upperBound { return blank }
                case .ended: return blank
                }
            }
        } catch {
            // A black picture is better than none.
            if let blank { return blank }
            throw error
        }
    }
}
