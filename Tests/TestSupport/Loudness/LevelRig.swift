import Foundation
import Wire

/// flick's side of a decoder that plays one clip for its sound, as fast as it comes. Throws if the decoder sends
/// nothing for 10 s. For one thread.
public final class LevelRig {
    /// All that came, left and right interleaved.
    public private(set) var samples: [Int16] = []
    /// The last report.
    public private(set) var loudness: SoundLoudness?
    public private(set) var hasEnded = false
    private let channel: DecoderChannel
    private var files: [UInt32: [UInt8]] = [:]

    /// What flick allows a clip out of view, and how much it grants at once.
    private static let warmFrames = 9_600
    private static let grantedFrames = 4_800

    /// - Parameters:
    ///   - level: the target in LUFS; nil: as loud as the clip is.
    ///   - isWarm: it is opened out of view.
    public init(_ channel: DecoderChannel, clip: String, level: Double?, isWarm: Bool, loops: Bool = false) throws {
        self.channel = channel
        try channel.send(.surface(SurfaceRequest(generation: 1, width: 200, height: 112, fit: .fit)))
        if let level { try channel.send(.loudness(target: Int32((level * 100).rounded()))) }
        if isWarm { try channel.send(.warm(time: 2_000_000, bitsPerSecond: 750_000)) }
        try channel.send(.open(url: "file://\(clip)", start: 0, loop: loops, sound: true))
        if isWarm {
            try channel.send(.credit(frames: UInt32(Self.warmFrames)))
            try receive(frames: Self.warmFrames)
            try channel.send(.watched)
        }
    }

    /// Plays until `frames` have come in all, or the clip is over.
    public func play(frames: Int) throws {
        while samples.count / 2 < frames, !hasEnded {
            try channel.send(.credit(frames: UInt32(Self.grantedFrames)))
            try receive(frames: samples.count / 2 + Self.grantedFrames)
        }
    }

    private func receive(frames: Int) throws {
        while samples.count / 2 < frames, !hasEnded {
            switch try channel.receive(within: .seconds(10)) {
            case .sound(_, _, _, let samples): self.samples += samples
            case .loudness(let loudness): self.loudness = loudness
            case .picture(let header): try channel.send(.release(slots: [header.slot]))
            case .openURL(let id, let want, _):
                let bytes = FileManager.default.contents(atPath: String(want.url.dropFirst("file://".count)))
                files[id] = bytes.map(Array.init)
                try channel.send(
                    .source(
                        id: id, url: want.url, length: Int64(bytes?.count ?? -1), seekable: true,
                        error: bytes == nil ? "No such file" : ""))
            case .read(let id, let offset, let count, _):
                let bytes = files[id].map { Array($0.dropFirst(Int(offset)).prefix(Int(count))) } ?? []
                try channel.send(.data(id: id, offset: offset, bytes: bytes, error: ""))
            case .ended: hasEnded = true
            case .failed(_, let why, _, _): throw Command.Error(description: "the decoder failed: \(why)")
            default: break
            }
        }
    }
}

/// How well a decoder brings a clip to the target.
public struct LevelTrial: Sendable {
    public static let target = -16.0

    /// The loudness of the sound after the first second, less the target, in LU.
    public var error: Double
    /// The gain of the first 0.2 s, less the gain that the clip needs, in dB.
    public var firstError: Double
    /// In dBTP.
    public var peak: Double

    /// - Parameter channel: to a decoder that has no clip yet.
    public init(_ clip: LevelClip, _ channel: DecoderChannel, isWarm: Bool) throws {
        let rig = try LevelRig(channel, clip: clip.path, level: Self.target, isWarm: isWarm)
        try rig.play(frames: .max / 4)
        let first = 9_600
        let power = rig.samples.prefix(first * 2).reduce(0.0) { $0 + pow(Double($1) / 32_768, 2) } / Double(first * 2)
        firstError = 10 * log10(power / (try clip.energy(ofFirst: first))) - (Self.target - clip.loudness)
        error = try MeasuredSound(samples: rig.samples.dropFirst(96_000)).loudness - Self.target
        peak = try MeasuredSound(samples: rig.samples[...]).peak
    }
}
