import Bytes
import Model
import Threads
import Wire

/// Puts a clip that is played in parts (HLS, DASH) into one file, without decoding it. A decoder that is started for it
/// reads the clip and makes the file's bytes, which are not trusted. Belongs to one thread, which `run` blocks.
public struct Remux: Sendable {
    /// Takes a part of the file. Its offset is at most what was written before.
    public typealias Write = (_ container: MuxedContainer, _ offset: Int64, _ bytes: [UInt8]) throws -> Void

    private let url: String
    private let asset: Asset
    private let variant: VariantWish
    private let bytes: MediaBytes

    /// - Parameter variant: `automatic`: the one with the most pixels.
    public init(url: String, asset: Asset, variant: VariantWish = .automatic, bytes: MediaBytes) {
        (self.url, self.asset, self.variant, self.bytes) = (url, asset, variant, bytes)
    }

    /// Writes the whole file. Throws what `write` throws; `PlaybackError` if the clip cannot be read or no file holds
    /// it; `WireError` if the decoder misbehaves or dies. Blocks.
    ///
    /// - Parameter decoderPath: the decoder's executable.
    /// - Returns: false after a cancellation.
    public func run(decoderPath: String, cancellation: Cancellation, write: Write) throws -> Bool {
        try run(Nursery(path: decoderPath).decoder(), cancellation: cancellation, write: write)
    }

    func run(
        _ process: DecoderProcess, patience: Duration = SilenceLimits.longest, cancellation: Cancellation, write: Write
    ) throws -> Bool {
        var decoder = LinearDecoder(process, bytes: bytes)
        let number = cancellation.onCancel { process.kill() }
        defer {
            cancellation.forget(number)
            decoder.end()
        }
        decoder.server.begin(asset)
        decoder.outbox.send(.variant(variant), waits: false)
        decoder.outbox.send(.mux(url: url), waits: false)
        do {
            try receive(from: &decoder, patience: patience, write)
            return true
        } catch {
            if cancellation.isCancelled { return false }
            throw error
        }
    }

    private func receive(from decoder: inout LinearDecoder, patience: Duration, _ write: Write) throws {
        let began = ContinuousClock.now
        var progressedAt = Duration.zero
        /// What was written: the container, and the length.
        var file: (container: MuxedContainer, length: Int64)?
        while true {
            let message = try decoder.receive(within: min(patience, .milliseconds(500)), now: .now - began)
            let now = ContinuousClock.now - began
            if message != nil || decoder.server.load.isServing { progressedAt = now }
            guard now - progressedAt < patience else { throw WireError.silent }
            guard let message else { continue }
            try decoder.greeting.check(message)
            switch message {
            case .muxed(let container, let offset, let bytes):
                guard file.map({ $0.container == container }) ?? true else { throw WireError.invalid("container") }
                let length = file?.length ?? 0
                guard offset <= length, !bytes.isEmpty else { throw WireError.invalid("offset") }
                try write(container, offset, bytes)
                file = (container, max(length, offset + Int64(bytes.count)))
                // The time that the disk took is not the decoder's.
                progressedAt = ContinuousClock.now - began
            case .ended:
                guard file != nil else { throw WireError.invalid("end") }
                return
            case .failed(_, let why, let advice, _):
                throw PlaybackError(why: advice.isEmpty ? why : "\(why); \(advice)")
            case .openURL, .read, .closeURL, .expect: try decoder.server.handle(message)
            case .hello, .variant: break
            default: throw WireError.invalid("kind")
            }
        }
    }
}
