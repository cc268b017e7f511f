import Foundation

/// Reads a trace while flick writes it.
final class TraceFollower {
    private let path: String
    private var file: Int32 = -1
    /// The beginning of a line whose end is not there yet.
    private var rest: [UInt8] = []

    init(path: String) { self.path = path }

    deinit { if file >= 0 { close(file) } }

    /// What was written since the last call.
    func next() throws -> [TraceReader.Line] {
        if file < 0 { file = open(path, O_RDONLY | O_CLOEXEC) }
        // flick has not made it yet.
        guard file >= 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(file, &buffer, buffer.count), count > 0 { rest += buffer[..<count] }
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        defer { rest.removeFirst(end + 1) }
        return try rest[..<end].split(separator: UInt8(ascii: "\n")).map { try TraceReader.Line(Data($0)) }
    }
}
