/// How long to wait after a service could not be told something. Pure.
enum SendPause {
    static let first = Duration.seconds(2)
    static let longest = Duration.seconds(3600)
    /// The longest pause of a service after an unconfirmed message: other messages may still get through.
    static let maxUnconfirmed = Duration.seconds(64)

    /// Doubles from 2 s to an hour, of which between half and all is waited, so that clients which failed together do
    /// not come back together.
    ///
    /// - Parameters:
    ///   - failures: how often it failed before.
    ///   - least: what the service asks for, up to a day.
    ///   - most: in place of an hour.
    ///   - jitter: 0 ..< 1.
    static func length(failures: Int, least: Duration?, most: Duration = longest, jitter: Double) -> Duration {
        let pause = min(first * (1 << min(max(failures, 0), 20)), most) * (0.5 + 0.5 * jitter)
        return max(pause, min(least ?? .zero, .seconds(86_400)))
    }
}
