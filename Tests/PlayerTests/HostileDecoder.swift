import Foundation
import TestSupport
import Testing
import Wire

/// A decoder that is a thread of this process, speaks the wire, and does one thing that no honest decoder does.
struct HostileDecoder: Sendable {
    /// What it does once it runs. It is over when that throws, as all it sends
    /// or receives does once flick has ended it.
    let deed: @Sendable (HostileHand) throws -> Void

    /// Starts the thread. It ends with its channel.
    func start() throws -> DecoderProcess {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
            throw WireError.system(call: "socketpair", code: errno)
        }
        let ring = try PictureRing()
        let (theirs, theirRing) = (
            OwnerChannel(descriptor: pair[1]), try PictureRing(descriptor: dup(ring.descriptor))
        )
        Thread.detachNewThread {
            // An error is its end, which the test looks at from flick's side.
            try? deed(HostileHand(channel: theirs, ring: theirRing))
            theirs.shutDown()
        }
        return DecoderProcess(channel: DecoderChannel(descriptor: pair[0]), ring: ring)
    }
}

extension Misdeed {
    var decoder: HostileDecoder { HostileDecoder(deed: deed) }
}

extension Misdeed: CustomTestStringConvertible {
    public var testDescription: String { name }
}
