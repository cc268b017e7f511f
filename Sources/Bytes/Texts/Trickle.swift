/// Whether a text that may go on for ever comes in drops: so little for so long that nobody waits for it. Pure.
struct Trickle: Sendable {
    /// Of waiting for bytes; what the reader does between is its own affair.
    static let span: Duration = .seconds(30)
    /// In bytes: the least in that time. Any item has more.
    static let least = 64

    private var waited = Duration.zero
    private var got = 0

    /// After a wait so many bytes came. False once too few did.
    mutating func flows(_ bytes: Int, after wait: Duration) -> Bool {
        waited += wait
        got += bytes
        guard waited >= Trickle.span else { return true }
        defer { (waited, got) = (.zero, 0) }
        return got >= Trickle.least
    }
}
