import TestSupport
import Testing

/// Everything that starts flick: one after the other, as each wants a machine to itself.
@Suite(
    .serialized, .enabled(if: FlickBinary.browses, "flick was not built beside these tests"), .timeLimit(.minutes(5)))
enum EndToEnd {}
