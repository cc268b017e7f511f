/// Why a clip that should play waits. A value.
public struct ClipWait: Sendable, Equatable {
    /// The source of its bytes: a host, or the name of a file of this machine. Not cleaned.
    public var place: String
    public var isRemote: Bool
    /// How much of what is needed has come, 0 … 1; nil while that is not known.
    public var share: Double?
    /// The speed of the network in bytes a second; nil while unknown, and for files of this machine.
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
