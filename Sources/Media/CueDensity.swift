import Wire

/// Drops text that comes too fast to read: of more than `most`
/// cues that begin within a second, the later ones. A value.
///
/// Each cue is a message to flick, which ends a decoder that sends too many.
struct CueDensity {
    static let most = 50
    private static let span: Microseconds = 1_000_000
    /// Where the last cues begin, at most `most`; once it is full, the oldest is at `next`.
    private var starts: [Microseconds] = []
    private var next = 0

    /// Whether a cue that begins there is sent. Cues come in order, except after a seek to another place.
    mutating func allows(_ start: Microseconds) -> Bool {
        guard starts.count == Self.most else {
            starts.append(start)
            return true
        }
        let distance = start.subtractingReportingOverflow(starts[next])
        guard distance.overflow || distance.partialValue.magnitude >= Self.span.magnitude else { return false }
        starts[next] = start
        next = (next + 1) % Self.most
        return true
    }
}
