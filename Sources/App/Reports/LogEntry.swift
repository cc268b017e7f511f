internal import Logging
import Model

/// What of the trace goes to the log, how loud, and in what words.
enum LogEntry {
    /// Trouble that the user may ask about later is a warning or an error; what happens a few times a page is for debugging; what happens with every
    /// picture or key is only traced.
    static func level(of event: TraceEvent) -> Logger.Level {
        switch event {
        case .error, .gaveUp: .error
        case .recover, .watchdog, .warmFailed: .warning
        // A decoder that was killed is one that flick gave up; one that exits ended by itself.
        case .worker(_, _, let state, _): state == .exit ? .warning : .debug
        case .stall, .resume: .notice
        case .start, .end, .feed: .info
        case .fetch: fetches
        case .page, .settled, .warm, .evict, .claim, .firstFrame, .engage: .debug
        case .picture, .key, .audio, .link: .trace
        }
    }

    /// The level of `fetch`, which is asked for before there is one.
    static let fetches = Logger.Level.debug

    /// One line: the event's name, its item, and its fields as they are in the trace.
    static func text(of event: TraceEvent) -> String {
        let (name, item, fields) = event.encoding
        let texts = fields.compactMap { key, value -> String? in
            switch value {
            case .integer(let number): "\(key)=\(number)"
            case .number(let number): "\(key)=\(JSONLine.decimal(number))"
            case .text(let text): "\(key)=\(text)"
            case .flag(let flag): "\(key)=\(flag)"
            case .null: nil
            }
        }
        return ([name] + (item.map { ["item=\($0)"] } ?? []) + texts).joined(separator: " ")
    }
}
