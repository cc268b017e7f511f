import Model
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The trace: NDJSON, a line an event, each written with one `write` so that a reader sees whole lines and a kill loses none.
public final class TraceFile: Sendable {
    private let descriptor: Int32
    private let start: ProcessClock
    /// Lines of several threads do not mix, and their times rise.
    private let order = Mutex(())

    /// Truncates or creates the file at `path`.
    public init(path: String, clock: ProcessClock) throws(AppError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw AppError.file("open the trace", path, errno) }
        start = clock
    }

    deinit { close(descriptor) }

    public func write(_ event: TraceEvent) {
        order.withLock { _ in
            let line = TraceFile.line(event, at: start.now)
            // A trace that cannot be written (disk full) must not end playback; the gap in it tells.
            _ = line.withUnsafeBytes { bytes in Self.writeAll(descriptor, bytes) }
        }
    }

    private static func writeAll(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }

    /// The line of an event, its newline included.
    static func line(_ event: TraceEvent, at time: Duration) -> [UInt8] {
        var json = JSONLine()
        json.put("t", .number(time.seconds))
        json.put("ev", .text(event.name))
        if let item = event.item { json.put("item", .text(item)) }
        for field in event.fields { json.put(field.key, field.value) }
        return json.finished()
    }
}

/// One JSON object on one line.
public struct JSONLine {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    public init() {}

    public mutating func put(_ key: String, _ value: TraceEvent.Value) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        putText(key)
        bytes.append(UInt8(ascii: ":"))
        switch value {
        case .integer(let number): bytes.append(contentsOf: String(number).utf8)
        case .number(let number): bytes.append(contentsOf: JSONLine.decimal(number).utf8)
        case .text(let text): putText(text)
        case .flag(let flag): bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .null: bytes.append(contentsOf: "null".utf8)
        }
    }

    /// The object's bytes and a newline.
    public func finished() -> [UInt8] { bytes + [UInt8(ascii: "}"), UInt8(ascii: "\n")] }

    private mutating func putText(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: "\\\"".utf8)
            case "\\": bytes.append(contentsOf: "\\\\".utf8)
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            // Control characters, and C1 and DEL too: a line may be shown on a terminal.
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value):
                let hex = String(scalar.value, radix: 16)
                bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - hex.count))\(hex)".utf8)
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Up to 6 decimals and never an exponent; what is no number becomes null.
    static func decimal(_ number: Double) -> String {
        guard number.isFinite, abs(number) < 9e12 else { return "null" }
        let micros = Int64((number * 1e6).rounded())
        let sign = micros < 0 ? "-" : ""
        let (whole, rest) = micros.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        guard rest > 0 else { return "\(sign)\(whole)" }
        var digits = String(rest)
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}
