internal import Logging
import Model

/// What of the trace goes to the log, how loud, and in what words.
enum LogEntry {
    /// Trouble that the user may ask about later is a warning or an error; what happens a few times a page is for debugging; what
    /// happens with every picture or key is only traced.
    static func level(of event: TraceEvent) -> Logger.Level {
        switch event.name {
        case "error", "gave_up": .error
        case "recover", "watchdog", "warm_failed": .warning
        // "killed" is flick letting go of one; "exit" is one that ended by itself.
        case "worker": event["state"] == .text("exit") ? .warning : .debug
        case "stall", "resume": .notice
        case "start", "end", "feed": .info
        case "picture", "key", "audio", "link": .trace
        default: .debug
        }
    }

    /// One line: the event's name, its item, and its fields as they are in the trace.
    static func text(of event: TraceEvent) -> String {
        let fields = event.fields.compactMap { key, value -> String? in
            switch value {
            case .integer(let number): "\(key)=\(number)"
            case .number(let number): "\(key)=\(JSONLine.decimal(number))"
            case .text(let text): "\(key)=\(text)"
            case .flag(let flag): "\(key)=\(flag)"
            case .null: nil
            }
        }
        return ([event.name] + (event.item.map { ["item=\($0)"] } ?? []) + fields).joined(separator: " ")
    }
}

extension TraceEvent {
    /// A field's value; nil if there is none of that name.
    subscript(key: String) -> Value? { fields.first { $0.key == key }?.value }
}
