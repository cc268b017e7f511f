import TestSupport
import Testing

/// Everything that starts flick: one after the other, as each wants a machine to itself.
@Suite(.serialized, .timeLimit(.minutes(5)))
enum EndToEnd {}
