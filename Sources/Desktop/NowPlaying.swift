import Model

/// What flick shows, for other programs. Its texts are cleaned. A value.
public struct NowPlaying: Sendable, Equatable {
    /// Counts the items that came into view; 0 while the feed is empty.
    public var track = 0
    public var title: String?
    public var creator: String?
    /// Without passwords and signatures.
    public var url: String?
    /// A picture of the clip, of the web or a file.
    public var artwork: String?
    /// What the place is called, such as "Home".
    public var place = ""
    /// The page and how many there are so far, from 1.
    public var page = 0
    public var pages = 0
    public var position = Duration.zero
    /// nil: unknown.
    public var duration: Duration?
    /// Paused by the user, or by something else.
    public var isPaused = true
    /// Whether the position moves by itself.
    public var isMoving = false
    public var isLiked = false
    public var isSeekable = false
    /// 0 … 1.
    public var volume = 1.0
    public var isMuted = false
    public var speed = 1.0

    public init() {}

    /// One object, as `flick ctl status --json` prints it and as answers have it.
    func put(in line: inout JSONLine) {
        line.put("title", .optional(title))
        line.put("creator", .optional(creator))
        line.put("url", .optional(url))
        line.put("place", .text(place))
        line.put("page", .integer(page))
        line.put("pages", .integer(pages))
        line.put("position", .number(position.seconds))
        line.put("duration", duration.map { .number($0.seconds) } ?? .null)
        line.put("paused", .flag(isPaused))
        line.put("liked", .flag(isLiked))
        line.put("volume", .integer(Int((volume * 100).rounded())))
        line.put("muted", .flag(isMuted))
    }

    /// Whether the position is another one than time alone explains.
    ///
    /// - Parameter elapsed: since `old`, which was the same track.
    public func hasJumped(since old: NowPlaying, elapsed: Duration) -> Bool {
        let expected = old.position + (old.isMoving ? elapsed * old.speed : .zero)
        let distance = position - expected
        return distance > Self.tolerance || distance < .zero - Self.tolerance
    }

    /// Clients count the time themselves (MPRIS, Position): a second is what they show.
    private static let tolerance = Duration.seconds(1)
}

/// What another program wants flick to do.
public enum DesktopCommand: Sendable, Equatable {
    case next, previous
    /// Plays if it is paused, and pauses if it plays.
    case playPause
    case play, pause
    /// Pauses at the beginning.
    case stop
    /// Likes the clip, or takes the like back.
    case like
    case seek(by: Duration)
    case seekTo(Duration)
    /// 0 … 1.
    case setVolume(Double)
    case setSpeed(Double)
    case quit
    /// Nothing but an answer.
    case status
}

/// A command, and who waits for what became of it. The main loop answers; any thread.
public struct DesktopRequest: Sendable {
    public let command: DesktopCommand
    /// Call it once, with the state after the command. Does not block.
    public let answer: @Sendable (NowPlaying) -> Void

    public init(_ command: DesktopCommand, answer: @escaping @Sendable (NowPlaying) -> Void) {
        (self.command, self.answer) = (command, answer)
    }
}

/// Why flick cannot be controlled, in one line. A value.
public struct DesktopError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
    /// Whether many machines are like this, such as those without a desktop: no one has to be warned.
    public let isCommon: Bool

    public init(_ description: String, isCommon: Bool = false) {
        (self.description, self.isCommon) = (description, isCommon)
    }
}
