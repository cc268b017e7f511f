import Bytes
import Model
import Wire

/// Makes stills of one size, one after the other. Its decoder exists while there is work. Main thread; no call waits.
@MainActor
final class StillWorker {
    /// What became of a job. A value.
    struct Result {
        let picture: Picture?
        /// Why there is no picture.
        let why: String?
        /// Its bytes are no picture.
        var isUseless = false
        let took: Duration
    }

    /// Of the surface, whose size never changes.
    nonisolated fileprivate static let generation: UInt32 = 1

    /// A square surface of square pixels.
    ///
    /// - Parameter side: in pixels.
    nonisolated static func surface(side: Int, fit: PictureFit) -> SurfaceRequest {
        SurfaceRequest(generation: generation, width: UInt32(side), height: UInt32(side), fit: fit)
    }

    private let decoders: DecoderPool
    private let surface: SurfaceRequest
    private var decoder: StillDecoder?

    init(decoders: DecoderPool, surface: SurfaceRequest) {
        (self.decoders, self.surface) = (decoders, surface)
    }

    /// Whether a job can begin: none is under way, and a decoder may be started.
    func isFree(now: Duration) -> Bool { decoder?.job == nil && decoders.due(now: now) <= now }

    /// Begins a job. Throws if there is no decoder for it; the page in view shows why.
    func begin(_ job: StillPlan.Job, of asset: Asset, now: Duration) throws {
        let decoder = try self.decoder ?? StillDecoder(decoders.newDecoder(), surface: surface)
        self.decoder = decoder
        decoder.begin(job, of: asset, now: now)
    }

    /// Takes what the decoder has made: the result of the job, once.
    func advance(now: Duration) -> Result? {
        guard let decoder else { return nil }
        let hasJob = decoder.job != nil
        let outcome = decoder.advance(now: now) { [decoders] event in
            decoders.note(event, of: decoder.handle, now: now)
        }
        var result: Result?
        if hasJob, let outcome {
            let took = decoder.took(now: now)
            switch outcome {
            case .still(let still): result = Result(picture: still.picture, why: nil, took: took)
            case .blank: result = Result(picture: nil, why: "it is blank", took: took)
            case .failed(let why, let isUseless):
                result = Result(picture: nil, why: why, isUseless: isUseless, took: took)
            }
            decoder.endJob()
        }
        if !decoder.isUsable {
            if !decoder.hasEnded { decoders.end(decoder.handle) }
            self.decoder = nil
        }
        return result
    }

    /// Nothing is to be made for now.
    func end() {
        if let decoder { decoders.end(decoder.handle) }
        decoder = nil
    }

    /// When `advance` is to be called next at the latest; nil without a job.
    var deadline: Duration? { decoder?.deadline }

    /// The running decoder; nil between times of work.
    var decoderInUse: DecoderHandle? { decoder?.handle }

    /// flick ends.
    func close() {
        if let decoder, !decoder.hasEnded { decoder.handle.end() }
        decoder = nil
    }
}

/// A still by a `StillWorker`, and its number among those of its maker. A value.
struct NumberedStill {
    let picture: Picture
    let number: Int

    /// Passes the picture to `body`; it is valid only during that call.
    ///
    /// - Parameter name: distinguishes it from other stills.
    func withView<Result>(as name: String, _ body: (PictureView, PictureIdentity) -> Result) -> Result {
        let identity = PictureIdentity(
            item: name, mediaTime: .zero, isStill: true, isCorrupt: false, generation: StillWorker.generation, life: 0,
            number: number, pts: 0)
        return picture.withView { body($0, identity) }
    }
}
