/// What a clip waits for that is to play. A value.
public struct ClipWait: Sendable, Equatable {
    /// Where its bytes come from: a host, or the name of a file of this machine. Not cleaned.
    public var place: String
    public var isRemote: Bool
    /// How much of what is needed has come, 0 … 1; nil while that is not known.
    public var share: Double?
    /// What the network carries, in bytes a second; nil while unknown, and for files of this machine.
    public var speed: Int64?
    /// Why bytes are late, in one line; nil if nothing has failed.
    public var trouble: String?

    public init(
        place: String, isRemote: Bool, share: Double? = nil, speed: Int64? = nil, trouble: String? = nil
    ) {
        self.place = place
        self.isRemote = isRemote
        self.share = share
        self.speed = speed
        self.trouble = trouble
    }
}
