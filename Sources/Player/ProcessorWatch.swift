/// Detects a decoder that uses the processor and produces nothing: a loop in a
/// library, or a clip that has taken it over. The caller passes the time. A value.
///
/// It is checked on every iteration of the main loop, and every 20 s while that is idle.
struct ProcessorWatch {
    /// What a decoder may use from one picture or piece of sound to the next, on all cores together. An exact seek in a
    /// large clip with few key pictures takes several seconds.
    static let most = Duration.seconds(20)
    /// Between two looks, each of which is a system call.
    private static let interval = Duration.seconds(1)

    /// Between two looks while nothing plays.
    private static let longInterval = Duration.seconds(20)

    /// When to look while nothing happens: at the same moments for all
    /// decoders, so that an idle page wakes up three times a minute.
    static func nextWake(after now: Duration) -> Duration { longInterval * (Int(now / longInterval) + 1) }

    private var nextLook: Duration
    /// At the look that first saw the last thing that it brought.
    private var usedBefore = Duration.zero
    private var brought = 0

    /// A decoder begins.
    init(now: Duration) { nextLook = now + Self.interval }

    /// Whether the decoder should be ended.
    ///
    /// - Parameters:
    ///   - used: its processor time so far, nil without a process. Evaluated only when a look is due.
    ///   - brought: the number of its pictures and pieces of sound.
    mutating func check(used look: @autoclosure () -> Duration?, brought: Int, now: Duration) -> Bool {
        guard now >= nextLook else { return false }
        nextLook = now + Self.interval
        guard let used = look() else { return false }
        if brought != self.brought {
            self.brought = brought
            usedBefore = used
        }
        return used - usedBefore > Self.most
    }
}
