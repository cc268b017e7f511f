internal import Logging
import Model

/// Decides which trace events go to the log, at which level, and in which words. Pure.
enum LogEntry {
    /// Problems that the user may ask about are warnings or errors. What happens a few times per page is for debugging.
    /// What happens with every picture or key is only traced.
    static func level(of event: TraceEvent) -> Logger.Level {
        switch event {
        case .error, .gaveUp: .error
        case .recover, .watchdog, .warmFailed: .warning
        // flick kills a decoder to give it up; a decoder that exits has ended by itself.
        case .worker(_, _, let state, _): state == .exit ? .warning : .debug
        case .stall, .resume: .notice
        case .start, .end, .feed: .info
        case .fetch: fetches
        case .page, .settled, .warm, .evict, .claim, .firstFrame, .still, .engage: .debug
        case .picture, .key, .audio, .link: .trace
        }
    }

    /// The level of `fetch`, needed before there is an event.
    static let fetches = Logger.Level.debug

    /// One line: the event's name, its item, and its fields as in the trace.
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
