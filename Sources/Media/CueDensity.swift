import Wire

/// Leaves out what nobody could read: of a text with more than `most` cues that
/// begin within a second, the later ones. A value.
///
/// Each cue is a message to flick, which ends a decoder that sends too many.
struct CueDensity {
    static let most = 50
    private static let span: Microseconds = 1_000_000
    /// Where the last cues begin, at most `most`; the oldest is at `next` once there are so many.
    private var starts: [Microseconds] = []
    private var next = 0

    /// Whether a cue that begins there is told. They come in order, apart from those of another place after a seek.
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
