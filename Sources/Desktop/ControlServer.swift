import Model
import Platform
import Synchronization
import Threads

/// The control socket of this flick: passes commands to the main loop, and its answers back. One thread serves all
/// clients and waits for none of them: who sends nothing, reads nothing or sends too much is disconnected. Any thread.
public final class ControlServer: Sendable {
    private struct Shared {
        /// Answers of the main loop, by the client's number.
        var answers: [Int: NowPlaying] = [:]
        /// Where the socket is, once it is there.
        var path: String?
        var isClosed = false
    }

    private let shared = Mutex(Shared())
    private let pipe: Pipe
    private let receive: @Sendable (DesktopRequest) -> Void

    /// Starts the thread, which makes the socket.
    ///
    /// - Parameters:
    ///   - receive: called on the thread for each command; it must not block.
    ///   - failed: called at most once, on the thread, if flick cannot be controlled.
    public init(
        in folder: RuntimeFolder, receive: @escaping @Sendable (DesktopRequest) -> Void,
        failed: @escaping @Sendable (DesktopError) -> Void
    ) throws(DesktopError) {
        do throws(SystemError) { pipe = try Pipe(waits: false) } catch { throw DesktopError("\(error)") }
        self.receive = receive
        BlockingThread.start { [self] in
            do throws(DesktopError) { try run(in: folder) } catch { failed(error) }
        }
    }

    /// Removes the socket, and ends the thread. Does not wait for it.
    public func close() {
        shared.withLock { shared in
            shared.isClosed = true
            if let path = shared.path { unlink(path) }
        }
        pipe.wake()
    }

    private func run(in folder: RuntimeFolder) throws(DesktopError) {
        try folder.make()
        folder.removeStale()
        let path = folder.socket(of: getpid())
        let listener: Descriptor?
        do throws(SystemError) { listener = try listen(at: path) } catch {
            throw DesktopError("cannot listen at \(ShownName.of(path)): \(SystemError.text(error.code))")
        }
        guard let listener else { return }
        defer { listener.close() }
        var clients = ControlClients()
        defer { for client in clients.all { client.socket.close() } }
        while !shared.withLock(\.isClosed) {
            wait(for: listener, &clients)
            pipe.clear()
            accept(from: listener, &clients)
            let answers = shared.withLock { shared in
                defer { shared.answers = [:] }
                return shared.answers
            }
            let now = ContinuousClock.now
            for (number, playing) in answers {
                clients.answer(number, ControlProtocol.answer(.success(playing)), now: now)
            }
            for index in clients.all.indices { serve(&clients.all[index]) }
            for dropped in clients.takeDone(now: .now) { dropped.socket.close() }
        }
    }

    /// Nil if the server was closed before. Else the socket is there, and `close` removes it.
    private func listen(at path: String) throws(SystemError) -> Descriptor? {
        try shared.withLock { shared throws(SystemError) in
            guard !shared.isClosed else { return nil }
            let listener = try UnixSocket.listen(at: path)
            shared.path = path
            return listener
        }
    }

    private func wait(for listener: Descriptor, _ clients: inout ControlClients) {
        let now = ContinuousClock.now
        var sources = [
            pollfd(fd: pipe.reading.number, events: Int16(POLLIN), revents: 0),
            // A negative number is left out.
            pollfd(fd: clients.accepts(now: now) ? listener.number : -1, events: Int16(POLLIN), revents: 0),
        ]
        for client in clients.all {
            let events: Int32 = client.step == .waits ? 0 : client.step == .asks ? POLLIN : POLLOUT
            sources.append(pollfd(fd: client.socket.number, events: Int16(events), revents: 0))
        }
        let left = clients.nextDeadline(after: now).map {
            Int32(clamping: Int((($0 - now) / .milliseconds(1)).rounded(.up)))
        }
        _ = poll(&sources, nfds_t(sources.count), left ?? -1)
        for (index, source) in sources.dropFirst(2).enumerated() {
            clients.all[index].isReady = source.revents != 0
        }
    }

    private func accept(from listener: Descriptor, _ clients: inout ControlClients) {
        while clients.accepts(now: .now) {
            guard let socket = UnixSocket.accept(from: listener) else {
                if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) { clients.pause(now: .now) }
                return
            }
            if UnixSocket.isOwn(socket) { clients.add(socket, now: .now) } else { socket.close() }
        }
    }

    /// Reads from a client, or writes to it, what is possible without waiting.
    private func serve(_ client: inout ControlConnection) {
        guard client.isReady || client.step == .reads else { return }
        switch client.step {
        case .asks:
            var buffer = [UInt8](repeating: 0, count: ControlProtocol.requestLimit + 1)
            let count = buffer.withUnsafeMutableBytes { client.socket.readSome(into: $0) }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { return client.step = .isDone }
            switch client.take(buffer[..<count], now: .now) {
            case nil: break
            case .success(let command)?:
                let number = client.number
                receive(
                    DesktopRequest(command) { [weak self] playing in
                        guard let self else { return }
                        shared.withLock { $0.answers[number] = playing }
                        pipe.wake()
                    })
            case .failure(let error)?: client.reply(ControlProtocol.answer(.failure(error)), now: .now)
            }
        // It has gone away, and no one is left to answer.
        case .waits: client.step = .isDone
        case .reads:
            let count = client.unsent.withUnsafeBytes { client.socket.send($0, waits: false) }
            if count < 0, errno == EAGAIN { return }
            client.sent(count)
        case .isDone: break
        }
    }
}
