import Audio
import Bytes
import Wire

/// What holds for all players alike. A player gets a copy, and a new one whenever something changes.
struct PlayerSettings: Equatable {
    /// The pictures that are wanted; nil before the first page was laid out.
    var surface: SurfaceRequest?
    /// How fast clips play: 0.25 … 4.
    var speed = 1.0
    /// How loud: 0 … 1.
    var volume = 1.0
    /// Whether a clip begins again when it ends.
    var loop: Bool
}

/// What a player works with. All players of a pool share the same.
struct PlayerResources {
    /// Where a player gets a decoder from.
    var decoders: DecoderPool
    var provider: any ByteProvider
    /// nil: there is to be no sound.
    var output: (any SoundOutput)?
    /// Has `PlayerPool.advance` called soon. On any thread.
    var wake: @Sendable () -> Void
}
