extension Duration {
    /// In seconds, as a real number.
    public var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// In milliseconds, to the microsecond: the unit of the trace.
    public var milliseconds: Double { Double(microseconds) / 1_000 }

    /// Whole microseconds, rounded towards zero: the unit of the messages between flick and its decoders.
    public var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
