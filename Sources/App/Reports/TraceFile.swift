import Model
import Platform
import Synchronization

/// The trace: NDJSON, one line per event. Each line is written with one `write`, so that readers see whole lines and a
/// kill loses none. Any thread.
final class TraceFile: Sendable {
    private let descriptor: Int32
    private let start: ProcessClock
    /// Orders the lines of several threads, so that their times rise.
    private let order = Mutex(())

    /// Truncates or creates the file at `path`.
    init(path: String, clock: ProcessClock) throws(AppError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw AppError.file("open the trace", path, errno) }
        start = clock
    }

    deinit { close(descriptor) }

    func write(_ event: TraceEvent) {
        order.withLock { _ in
            let line = TraceFile.line(event, at: start.now)
            // If a line cannot be written (disk full), the trace has a gap and playback continues.
            _ = line.withUnsafeBytes { bytes in Descriptor(descriptor).writeSome(bytes) }
        }
    }

    /// The line of an event, with its newline.
    static func line(_ event: TraceEvent, at time: Duration) -> [UInt8] {
        var json = JSONLine()
        json.put("t", .number(time.seconds))
        let (name, item, fields) = event.encoding
        json.put("ev", .text(name))
        if let item { json.put("item", .text(item)) }
        for field in fields { json.put(field.key, field.value) }
        return json.finished()
    }
}
