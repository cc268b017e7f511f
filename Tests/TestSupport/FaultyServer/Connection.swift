import Platform

/// One connection on its own thread: requests are read and answered one after the other, including pipelined ones.
struct Connection {
    let descriptor: Int32
    let state: ServerState
    /// Bytes that arrived and were not read yet.
    private var inbox: [UInt8] = []
    /// Whether to end it with a reset.
    private var breaks = false

    init(_ descriptor: Int32, _ state: ServerState) {
        self.descriptor = descriptor
        self.state = state
    }

    /// Serves until either side ends the connection. Blocks. The caller closes the descriptor.
    mutating func serve() {
        converse()
        if breaks { Socket.resetOnClose(descriptor) } else { Socket.finish(descriptor) }
    }

    private mutating func converse() {
        guard pause(state.link.latency) else { return }
        while let head = readHead(), var parsed = FaultyServer.Request(head: head) {
            parsed.clientPort = Socket.peerPort(descriptor)
            guard let body = readBody(Int(parsed.headers["content-length"] ?? "0") ?? 0) else { return }
            parsed.body = body
            let (id, request, resource) = state.begin(parsed)
            let goesOn = answer(id, request, resource)
            state.end(id)
            if !goesOn || request.isLastOfConnection { return }
        }
    }

    // MARK: Reading

    /// The bytes up to an empty line; nil at the end of the stream.
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

    /// The body of a request; nil if it does not arrive or is too large.
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

    /// False if the connection has ended.
    private mutating func answer(_ id: Int, _ request: FaultyServer.Request, _ resource: Resource?) -> Bool {
        let answer = Answer(to: request, from: resource)
        state.note(id, status: answer.status)
        guard pause(state.link.latency + answer.delay) else { return false }
        if let noise = answer.noise {
            _ = send(noise)
            return false
        }
        let informational = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        for _ in 0..<(answer.continues ?? .max) { guard send(informational) else { return false } }
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

    /// False if the connection broke or was broken.
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
            // A piece ends where a fault is due.
            var piece = min(Int64(state.portion), count - sent)
            if let stall { piece = min(piece, stall.after - sent) }
            if let cut = answer.cut { piece = min(piece, cut.after - sent) }
            if answer.isChunked { piece = min(piece, 1 + (sent &* 7_919 &+ 4_096) % 20_000) }
            let bytes = body.read(at: answer.span.lowerBound + sent, count: Int(piece))
            // If a file became shorter, the response cannot be completed.
            guard bytes.count == Int(piece), send(answer.isChunked ? chunk(bytes) : bytes) else { return false }
            sent += piece
            state.note(id, sent: piece)
        }
        return !answer.isChunked || send(Array("0\r\n\r\n".utf8))
    }

    private func chunk(_ bytes: [UInt8]) -> [UInt8] {
        Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
    }

    /// Sends bytes as fast as the simulated link allows.
    private func send(_ bytes: [UInt8]) -> Bool {
        if let end = state.pass(bytes.count), !Socket.wait(descriptor, until: end) { return false }
        return Socket.send(descriptor, bytes[...])
    }

    /// Waits; nil means for ever. False once the client has left or the server stops.
    private func pause(_ time: Duration?) -> Bool {
        if let time, time <= .zero { return true }
        return Socket.wait(descriptor, until: time.map { .now + $0 })
    }
}
