import Model

/// Distinguishes pictures, so that the same one is not drawn twice. A value.
public struct PictureIdentity: Hashable, Sendable {
    public var item: Item.ID
    /// Where in the clip it belongs.
    public var mediaTime: Duration
    /// A copy of the last picture, shown while its decoder is being replaced: it does not count as a first picture.
    public var isStill: Bool
    /// Decoded with errors.
    public var isCorrupt: Bool
    /// Which request for pictures it was made for: `PlayerPool.generation` of then.
    public var generation: UInt32
    /// Counts the decoders that the item had, and the pictures of each.
    var life: Int
    var number: Int
    /// On the timeline, in microseconds.
    var pts: Int64

    /// Whether `next` is just a later picture of the same decoder: nothing depends on when it reaches the terminal.
    public func isFollowed(by next: PictureIdentity) -> Bool {
        item == next.item && life == next.life && isStill == next.isStill && !isCorrupt
    }
}
