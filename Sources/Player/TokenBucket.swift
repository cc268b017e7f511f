import Wire

/// Limits how much a decoder may do: its budget grows with time,
/// and with what its work has brought. The caller passes the time.
///
/// A correct decoder stays far below each of these limits: flick's orders earn it more, as the user may hold a
/// key that seeks. A decoder that exceeds one is ended, because all it does costs time on one of flick's threads.
struct TokenBucket {
    /// The maximum budget.
    let most: Int
    /// How much is added per second.
    let perSecond: Int
    private var left: Int
    private var filledAt: Duration = .zero

    init(most: Int, perSecond: Int) {
        (self.most, self.perSecond) = (most, perSecond)
        left = most
    }

    /// Openings, closings, reads and expectations. A seek in a playlist takes
    /// some ten; at most a few dozen are made in a second.
    static var requests: TokenBucket { TokenBucket(most: 2_048, perSecond: 200) }
    /// A read that brings this many bytes is free, and so is one more request.
    /// Except at a file's end, the smallest read of a correct decoder is 64 KB.
    static let bytesOfRead = 4 << 10
    /// Pictures, sound and all else. At four times its speed a clip of 60 pictures a second has some 500 of them.
    static var messages: TokenBucket { TokenBucket(most: 4_096, perSecond: 2_000) }

    /// What an order earns. The start of something that is read again
    /// takes some 250 messages, and of a playlist some ten requests.
    static let messagesOfOrder = 512
    static let requestsOfOrder = 32

    /// Takes one; false if nothing is left.
    mutating func take(now: Duration) -> Bool {
        let passed = now - filledAt
        let back = Int(min(passed / .seconds(1), 1_000_000) * Double(perSecond))
        if back > 0 {
            left = min(most, left + back)
            filledAt = left == most ? now : filledAt + .seconds(Double(back) / Double(perSecond))
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }

    /// Gives back what work has earned.
    mutating func earn(_ count: Int) { left = min(most, left + count) }
}

extension ToDecoder {
    /// Whether the decoder has to read or make something again for it.
    var isOrder: Bool {
        switch self {
        case .open, .still, .seek, .soundTrack, .textTrack, .rate, .surface: true
        default: false
        }
    }
}
