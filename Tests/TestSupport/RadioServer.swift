import Threads

/// A radio on loopback that speaks ICY as SHOUTcast 1 does: a status line "ICY 200 OK", no length, no ranges, and
/// titles between the bytes for clients that want them. It repeats its sound forever, with a burst first. Any thread.
public final class RadioServer: Sendable {
    private struct State {
        var title = ""
        /// The heads of requests, in order.
        var requests: [String] = []
        var descriptors: Set<Int32> = []
        var threads = 0
        /// How often connections were cut.
        var cuts = 0
        var isStopped = false
    }

    public let port: UInt16
    private let sound: [UInt8]
    private let interval: Int
    private let head: String
    private let isStation: Bool
    /// How many bytes are sent at once.
    private let burst: Int
    /// Bytes a second after the burst.
    private let rate: Int
    private let wakeDescriptor: Int32
    private let state = Monitor(State())

    /// Binds 127.0.0.1 and serves at once, whatever the path.
    ///
    /// - Parameters:
    ///   - sound: what it repeats.
    ///   - interval: how many bytes come between titles.
    ///   - status: the first line of each response.
    ///   - isStation: whether it names itself and sends titles, as radios do; a camera sends neither.
    public init(
        _ sound: [UInt8], interval: Int = 8192, rate: Int = 32_000, title: String = "", status: String = "ICY 200 OK",
        type: String = "audio/mpeg", burst: Int = 128 << 10, isStation: Bool = true
    ) throws {
        (self.sound, self.interval, self.rate, self.burst) = (sound, interval, rate, burst)
        self.isStation = isStation
        let station = isStation ? "icy-notice1:<BR>A test<BR>\r\nicy-name:Test radio\r\nicy-br:128\r\n" : ""
        head = "\(status)\r\n\(station)Content-Type: \(type)\r\n"
        let (listener, port) = try Socket.listen(port: 0)
        let (wakeDescriptor, heard) = try Socket.pair()
        (self.port, self.wakeDescriptor) = (port, wakeDescriptor)
        state.withLock { $0.title = title }
        BlockingThread.start { [self] in listen(listener, heard) }
    }

    public func url(_ path: String = "/;stream") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// The title that clients receive from now on.
    public var title: String {
        get { state.withLock(\.title) }
        set { state.change { $0.title = newValue } }
    }

    public var requests: [String] { state.withLock(\.requests) }

    /// Blocks until there were `count` requests; false if that takes longer than ten seconds.
    public func waitForRequests(_ count: Int) -> Bool {
        state.wait(upTo: .seconds(10)) { $0.requests.count >= count ? true : nil } ?? false
    }

    /// Resets all connections; it still accepts new ones.
    public func cut() { state.change { $0.cuts += 1 } }

    /// Ends everything and blocks until all threads of connections have ended.
    public func stop() {
        state.change { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            Socket.close(wakeDescriptor)
            for descriptor in state.descriptors { Socket.end(descriptor) }
        }
        let _: Void? = state.wait { $0.threads == 0 ? () : nil }
    }

    // MARK: Threads

    private func listen(_ listener: Int32, _ heard: Int32) {
        while true {
            let (hasConnection, isStopped) = Socket.waitForEither(listener, heard)
            if isStopped { break }
            guard hasConnection, let descriptor = Socket.acceptOne(listener) else { continue }
            let isWelcome = state.change { state in
                guard !state.isStopped else { return false }
                state.descriptors.insert(descriptor)
                state.threads += 1
                return true
            }
            guard isWelcome else {
                Socket.close(descriptor)
                continue
            }
            BlockingThread.start { [self] in
                serve(descriptor)
                end(descriptor)
            }
        }
        Socket.close(listener)
        Socket.close(heard)
    }

    private func end(_ descriptor: Int32) {
        state.change { state in
            state.descriptors.remove(descriptor)
            state.threads -= 1
            Socket.close(descriptor)
        }
    }

    private func serve(_ descriptor: Int32) {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
            let more = Socket.receive(descriptor)
            guard !more.isEmpty else { return }
            bytes += more
        }
        let request = String(decoding: bytes, as: UTF8.self)
        state.change { $0.requests.append(request) }
        let hasTitles = isStation && request.lowercased().contains("icy-metadata: 1")
        // The first bytes are sent one by one.
        let head = Array((head + (hasTitles ? "icy-metaint:\(interval)\r\n" : "") + "\r\n").utf8)
        for byte in head.prefix(6) where !Socket.send(descriptor, [byte]) { return }
        guard Socket.send(descriptor, head[6...]) else { return }
        play(descriptor, hasTitles: hasTitles)
    }

    /// Until the client leaves.
    private func play(_ descriptor: Int32, hasTitles: Bool) {
        let began = ContinuousClock.now
        let cuts = state.withLock(\.cuts)
        var (sent, announced) = (0, "")
        while true {
            guard state.withLock(\.cuts) == cuts else { return Socket.resetOnClose(descriptor) }
            let piece = Array((sent..<sent + interval).map { sound[$0 % sound.count] })
            guard Socket.send(descriptor, piece[...]) else { return }
            sent += interval
            if hasTitles {
                let title = self.title
                guard Socket.send(descriptor, (title == announced ? [0] : Self.metadata(title))[...]) else { return }
                announced = title
            }
            let due = began + .seconds(Double(max(0, sent - burst)) / Double(rate))
            guard Socket.wait(descriptor, until: due) else { return }
        }
    }

    private static func metadata(_ title: String) -> [UInt8] {
        let text = Array("StreamTitle='\(title)';StreamUrl='';".utf8)
        let blocks = (text.count + 15) / 16
        return [UInt8(blocks)] + text + [UInt8](repeating: 0, count: blocks * 16 - text.count)
    }
}
