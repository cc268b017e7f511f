#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One connection, on a thread of its own: requests are read and answered one after the other, those that came early too.
struct Connection {
    let descriptor: Int32
    let desk: ServerDesk
    /// What has come and was not read yet.
    private var inbox: [UInt8] = []
    /// Whether it is to end with a reset, without a word before.
    private var breaks = false

    init(_ descriptor: Int32, _ desk: ServerDesk) {
        self.descriptor = descriptor
        self.desk = desk
    }

    /// Serves until either side ends it. Blocks. The descriptor is left to be closed.
    mutating func serve() {
        converse()
        if breaks { Socket.resetOnClose(descriptor) } else { Socket.finish(descriptor) }
    }

    private mutating func converse() {
        guard pause(desk.link.latency) else { return }
        while let head = readHead(), var parsed = FaultyServer.Request(head: head) {
            parsed.clientPort = Socket.peerPort(descriptor)
            guard let body = readBody(Int(parsed.headers["content-length"] ?? "0") ?? 0) else { return }
            parsed.body = body
            let (id, request, resource) = desk.begin(parsed)
            let goesOn = answer(id, request, resource)
            desk.end(id)
            if !goesOn || request.isLastOfConnection { return }
        }
    }

    // MARK: Reading

    /// The bytes up to an empty line; nil at the end, and for a head without one.
    private mutating func readHead() -> ArraySlice<UInt8>? {
        var searched = 0
        while inbox.count < 1 << 16 {
            let end: [UInt8] = [13, 10, 13, 10]
            var index = max(0, searched - 3)
            while index + 4 <= inbox.count {
                if inbox[index + 3] == 10, inbox[index..<index + 4].elementsEqual(end) {
                    let head = inbox[..<index]
                    inbox = Array(inbox[(index + 4)...])
                    return head
                }
                index += 1
            }
            searched = inbox.count
            guard receive() else { return nil }
        }
        return nil
    }

    /// A request's body; nil if it does not come, or is too large.
    private mutating func readBody(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= 1 << 20 else { return nil }
        while inbox.count < count {
            guard receive() else { return nil }
        }
        defer { inbox.removeFirst(count) }
        return Array(inbox[..<count])
    }

    private mutating func receive() -> Bool {
        let bytes = Socket.receive(descriptor)
        inbox += bytes
        return !bytes.isEmpty
    }

    // MARK: Answering

    /// False if the connection is at its end.
    private mutating func answer(_ id: Int, _ request: FaultyServer.Request, _ resource: Resource?) -> Bool {
        let answer = Answer(to: request, from: resource)
        desk.note(id, status: answer.status)
        guard pause(desk.link.latency + answer.delay) else { return false }
        if let noise = answer.noise {
            _ = send(noise)
            return false
        }
        if answer.hasEndlessHeaders { return sendHeadersWithoutEnd(answer) }
        guard send(answer.head), sendBody(answer, id) else { return false }
        return !answer.closes
    }

    private func sendHeadersWithoutEnd(_ answer: Answer) -> Bool {
        guard send(Array(answer.head.dropLast(2))) else { return false }
        for number in 0..<1_024 {
            let lines = (0..<64).map { "X-\(number)-\($0): \(String(repeating: "x", count: 1_008))\r\n" }
            guard send(Array(lines.joined().utf8)) else { return false }
        }
        return false
    }

    /// False if the connection broke, or was broken, on the way.
    private mutating func sendBody(_ answer: Answer, _ id: Int) -> Bool {
        guard let body = answer.body else { return true }
        var sent: Int64 = 0
        let count = Int64(answer.span.count)
        var stall = answer.stall
        while true {
            if let cut = answer.cut, sent >= cut.after {
                if case .reset = cut.how { breaks = true }
                return false
            }
            if let due = stall, sent >= due.after {
                stall = nil
                guard pause(due.time) else { return false }
            }
            guard sent < count else { break }
            // A piece ends where something is to happen.
            var piece = min(Int64(desk.portion), count - sent)
            if let stall { piece = min(piece, stall.after - sent) }
            if let cut = answer.cut { piece = min(piece, cut.after - sent) }
            if answer.isChunked { piece = min(piece, 1 + (sent &* 7_919 &+ 4_096) % 20_000) }
            let bytes = body.read(at: answer.span.lowerBound + sent, count: Int(piece))
            // A file that became shorter: nothing can be said any more.
            guard bytes.count == Int(piece), send(answer.isChunked ? chunk(bytes) : bytes) else { return false }
            sent += piece
            desk.note(id, sent: piece)
        }
        return !answer.isChunked || send(Array("0\r\n\r\n".utf8))
    }

    private func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
    }

    /// Sends bytes as fast as the line takes them.
    private func send(_ bytes: [UInt8]) -> Bool {
        if let end = desk.pass(bytes.count), !Socket.wait(descriptor, until: end) { return false }
        return Socket.send(descriptor, bytes[...])
    }

    /// Waits; nil: for ever. False once the other side has left, or the server stops.
    private func pause(_ time: Duration?) -> Bool {
        if let time, time <= .zero { return true }
        return Socket.wait(descriptor, until: time.map { .now + $0 })
    }
}
