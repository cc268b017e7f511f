import Audio
import Bytes
import Wire

/// The settings of all players. A player gets a copy, and a new one whenever something changes.
struct PlayerSettings: Equatable {
    /// The pictures that are wanted; nil before the first page was laid out.
    var surface: SurfaceRequest?
    /// How fast clips play: 0.25 … 4.
    var speed = 1.0
    /// How loud: 0 … 1.
    var volume = 1.0
    /// Whether a clip begins again when it ends.
    var loop: Bool
    /// The languages that sound is wanted in, the best first, as tags; empty: whatever a clip begins with.
    var soundLanguages: [String] = []
    /// The loudness that all clips play at, in LUFS; nil: as loud as they are.
    var soundLevel: Double?
    /// Whether the smallest variants that can be watched are played.
    var savesData = false
    /// The limits for clips that are out of view.
    var warm = WarmLimits()
    /// A longer clip resumes where it was left; a shorter one restarts.
    var resumesOver = Duration.seconds(60)
}

/// What a clip out of view is allowed.
struct WarmLimits: Equatable {
    /// How much of it is read ahead.
    var buffer = Duration.seconds(2)
    /// The most bits a second of the variant that it begins with.
    var bitrate: Int64 = 750_000
}

extension PlayerPool.Prefetch {
    /// - Parameter savesData: whether clips are never better than usual.
    func warmLimits(at pace: PreloadPlan.Pace, savesData: Bool) -> WarmLimits {
        switch pace {
        case .fast: WarmLimits(buffer: buffer / 2, bitrate: bitrate / 2)
        case .slow where !savesData: WarmLimits(buffer: buffer * 3 / 2, bitrate: bitrate * 2)
        case .usual, .slow: WarmLimits(buffer: buffer, bitrate: bitrate)
        }
    }
}

/// What a player works with. All players of a pool share the same.
struct PlayerResources {
    /// Where a player gets a decoder from.
    var decoders: DecoderPool
    /// nil: all clips are local.
    var network: (any MediaNetwork)?
    /// nil: there is to be no sound.
    var output: (any SoundOutput)?
    /// Has `PlayerPool.advance` called soon. On any thread.
    var wake: @Sendable () -> Void
}
