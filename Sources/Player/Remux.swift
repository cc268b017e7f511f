import Bytes
import Model
import Threads
import Wire

/// Puts a segmented stream (HLS, DASH) into one file, without decoding it. A decoder that is started for it reads the
/// stream and makes the file's bytes, which are not trusted. Belongs to one thread, which `run` blocks.
public struct Remux: Sendable {
    /// What of a stream goes into the file. A value.
    public struct Choice: Sendable, Equatable {
        /// Of `MediaInfo.variants`; nil: the one with the most pixels.
        public var variant: Int?
        /// Of the audio, the best first: tags as files write them.
        public var languages: [String]

        public init(variant: Int? = nil, languages: [String] = []) {
            (self.variant, self.languages) = (variant, languages)
        }
    }

    /// Takes a part of the file. Its offset is at most what was written before.
    public typealias Write = (_ container: MuxedContainer, _ offset: Int64, _ bytes: [UInt8]) throws -> Void

    private let url: String
    private let asset: Asset
    private let choice: Choice
    private let bytes: MediaBytes

    public init(url: String, asset: Asset, choice: Choice = Choice(), bytes: MediaBytes) {
        (self.url, self.asset, self.choice, self.bytes) = (url, asset, choice, bytes)
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
        if !choice.languages.isEmpty {
            decoder.outbox.send(
                .soundLanguages(Array(choice.languages.prefix(WireLimit.tracks))), waits: false)
        }
        if let variant = choice.variant {
            decoder.outbox.send(.variant(.index(UInt32(clamping: variant))), waits: false)
        }
        decoder.outbox.send(.mux(url: url), waits: false)
        do {
            try receive(from: &decoder, patience: patience, write)
            return true
        } catch {
            if cancellation.isCancelled { return false }
            throw error
        }
    }

    /// In bytes, besides the length of the file: a muxer goes back to write sizes.
    private static let mostReplaced: Int64 = 64 << 20

    private func receive(from decoder: inout LinearDecoder, patience: Duration, _ write: Write) throws {
        let began = ContinuousClock.now
        var progressedAt = Duration.zero
        /// What was written: the container, the length, and how many bytes went over others.
        var file: (container: MuxedContainer, length: Int64, replaced: Int64)?
        while true {
            let message = try decoder.receive(within: min(patience, .milliseconds(500)), now: .now - began)
            let now = ContinuousClock.now - began
            if message?.isProgress == true || decoder.server.load.isServing { progressedAt = now }
            guard now - progressedAt < patience else { throw WireError.silent }
            guard let message else { continue }
            try decoder.greeting.check(message)
            switch message {
            case .muxed(let container, let offset, let bytes):
                guard file.map({ $0.container == container }) ?? true else { throw WireError.invalid("container") }
                let length = file?.length ?? 0
                guard offset <= length, !bytes.isEmpty else { throw WireError.invalid("offset") }
                try write(container, offset, bytes)
                let end = offset + Int64(bytes.count)
                let replaced = (file?.replaced ?? 0) + min(end, length) - offset
                guard replaced <= length + Self.mostReplaced else { throw WireError.tooMany("bytes") }
                file = (container, max(length, end), replaced)
                // The time that the disk took is not the decoder's.
                progressedAt = ContinuousClock.now - began
            case .ended:
                guard file != nil else { throw WireError.invalid("end") }
                return
            case .failed(_, let why, let advice, let detail):
                let words = advice.isEmpty ? why : "\(why); \(advice)"
                throw PlaybackError(why: detail.isEmpty ? words : "\(words) (\(detail))")
            case .openURL, .read, .closeURL, .expect: try decoder.server.handle(message)
            case .hello, .variant, .buffered: break
            default: throw WireError.invalid("kind")
            }
        }
    }
}
