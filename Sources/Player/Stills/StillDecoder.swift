import Bytes
import Model
import Wire

/// A decoder that makes stills, one after the other, and the one that it is making. On the main thread.
@MainActor
final class StillDecoder {
    /// The result of a job.
    enum Outcome {
        case still(Still)
        /// The picture was blank, where that matters.
        case blank
        /// There is no still; the text is the reason. `isUseless`: the bytes are no picture.
        case failed(String, isUseless: Bool = false)
    }

    let handle: DecoderHandle
    private(set) var job: StillPlan.Job?
    /// Of the last job.
    private(set) var asset: Asset?
    private var number: UInt32 = 0
    private var begunAt: Duration = .zero
    private var seenActivity = 0
    private var activeAt: Duration = .zero
    private var limit = PictureLimit()
    /// The decoder's process has ended and was reaped.
    private(set) var hasEnded = false

    /// A decoder that does nothing for `patience`, and does not
    /// wait for bytes, hangs. No still takes longer than `longest`.
    private static let patience = Duration.milliseconds(1_500)
    private static let longest = Duration.seconds(15)
    /// How many messages are received at a time. A correct decoder sends a greeting, and one answer for each job.
    static let messagesAtOnce = 8

    init(_ handle: DecoderHandle, surface: SurfaceRequest) {
        self.handle = handle
        setSurface(surface)
    }

    func setSurface(_ surface: SurfaceRequest) {
        limit.note(surface)
        handle.send(.surface(surface))
    }

    func begin(_ job: StillPlan.Job, of asset: Asset, now: Duration) {
        number += 1
        (self.job, self.asset) = (job, asset)
        (begunAt, activeAt) = (now, now)
        handle.makeStill(number, of: asset, at: job.time, isImage: job.kind == .thumbnail)
    }

    /// The current job is over.
    func endJob() { job = nil }

    func took(now: Duration) -> Duration { now - begunAt }

    /// When the job is cancelled unless the decoder does something; nil without a job.
    var deadline: Duration? { job == nil ? nil : min(activeAt + Self.patience, begunAt + Self.longest) }

    /// The result of the job, if it is over. The caller ends a decoder that fails at more than its job: see `isUsable`.
    ///
    /// - Parameter note: receives every event of the decoder's process.
    func advance(now: Duration, note: (DecoderHandle.DecoderEvent) -> Void) -> Outcome? {
        handle.flush()
        let received = handle.receive(atMost: Self.messagesAtOnce)
        if received.activity != seenActivity || received.isServed {
            (seenActivity, activeAt) = (received.activity, now)
        }
        var outcome: Outcome?
        for event in received.events {
            note(event)
            switch event {
            case .started, .message(.hello): break
            case .message(.still(number, let header))
            where job != nil && outcome == nil && limit.allows(header):
                outcome = take(header)
                handle.send(.release(slots: [header.slot]))
            case .message(.noStill(number, let code, let why)) where job != nil && outcome == nil:
                outcome = .failed(why, isUseless: code == .notMedia || code == .undecodable)
            case .message:
                isUsable = false
                outcome = outcome ?? .failed(Self.notAskedFor)
            case .ended(let why, _, _):
                (hasEnded, isUsable) = (true, false)
                if job != nil { outcome = outcome ?? .failed("its decoder exited: \(why)") }
            }
        }
        if received.hasMore {
            isUsable = false
            outcome = outcome ?? .failed(Self.notAskedFor)
        }
        if outcome == nil, let deadline, now >= deadline {
            isUsable = false
            outcome = .failed("its decoder took too long")
        }
        return outcome
    }

    /// Whether the decoder can be trusted with another job.
    private(set) var isUsable = true

    private static let notAskedFor = "its decoder sent unrequested data"

    private func take(_ header: PictureHeader) -> Outcome {
        guard let job else { return .failed("no still was requested") }
        guard !header.isCorrupt else { return .failed("its frame is damaged", isUseless: true) }
        let view = PictureView(of: header, in: handle.ring)
        if job.kind == .frozen, view.isBlank { return .blank }
        return .still(
            Still(
                kind: job.kind, picture: Picture(copying: view), generation: header.generation,
                time: job.kind == .thumbnail ? 0 : header.mediaTime))
    }
}
