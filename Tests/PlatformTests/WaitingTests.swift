import TestSupport
import Testing

struct WaitingTests {
    private final class Held: Sendable {}

    /// Otherwise a source that a test has read is still open for a moment, now and then.
    @Test func nothingOfABodyIsHeldOnceItsValueIsThere() async {
        for round in 0..<2_000 {
            var held: Held? = Held()
            weak let seen = held
            if let held { _ = await onThread { ObjectIdentifier(held) } }
            held = nil
            #expect(seen == nil, "round \(round)")
        }
    }
}
