import Platform

/// A connection to a local port through which exactly the given bytes are sent. Used by one thread at a time.
// @unchecked: a test hands it from one thread to the next, and has then no other use of it.
public final class RawClient: @unchecked Sendable {
    private var descriptor: Int32

    public init(port: UInt16) throws { descriptor = try Socket.connect(port: port) }

    deinit { close() }

    public func send(_ text: String) { _ = Socket.send(descriptor, Array(text.utf8)[...]) }

    public func send(_ bytes: [UInt8]) { _ = Socket.send(descriptor, bytes[...]) }

    /// Ends our half of the connection.
    public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// What has arrived, at most 16 KB; nothing at the end. Blocks.
    public func readSome() -> [UInt8] { Socket.receive(descriptor) }

    /// Everything until the other side ends the connection. Throws if it
    /// neither does that nor sends anything for 30 s. Blocks.
    public func readToEnd() throws -> [UInt8] { try read { _ in false } }

    /// Everything up to the first arrival after which there is `text` in it. Throws as above. Blocks.
    public func read(until text: String) throws -> [UInt8] {
        let wanted = Array(text.utf8)
        return try read { $0.firstRange(of: wanted) != nil }
    }

    private func read(until isEnough: ([UInt8]) -> Bool) throws -> [UInt8] {
        var all: [UInt8] = []
        while !isEnough(all) {
            var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&source, 1, 30_000) > 0 else { throw Socket.Error(call: "read to the end", code: ETIMEDOUT) }
            let bytes = Socket.receive(descriptor)
            if bytes.isEmpty { break }
            all += bytes
        }
        return all
    }

    /// Reads an answer with a Content-Length, drops it, and returns its status and how long its body was; nil if the
    /// connection ends before it does. Blocks.
    public func skipAnswer() -> (status: Int, length: Int)? {
        withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { buffer -> (status: Int, length: Int)? in
            var head: [UInt8] = []
            while true {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else { return nil }
                head += buffer[..<count].prefix(8_192)
                guard let end = head.firstRange(of: [13, 10, 13, 10]) else { continue }
                let text = String(decoding: head[..<end.lowerBound], as: UTF8.self).lowercased()
                let lines = text.split(separator: "\r\n")
                guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
                    let field = lines.first(where: { $0.hasPrefix("content-length: ") }),
                    let length = Int(field.dropFirst(16))
                else { return nil }
                // What came with the headers beyond what is kept of them is part of the body, too.
                var left = length - (head.count - end.upperBound) - max(0, count - 8_192)
                while left > 0 {
                    let count = recv(descriptor, buffer.baseAddress, min(left, buffer.count), 0)
                    guard count > 0 else { return nil }
                    left -= count
                }
                return (status, length)
            }
        }
    }

    public func close() {
        guard descriptor >= 0 else { return }
        Socket.close(descriptor)
        descriptor = -1
    }
}
