import CProcess
import Platform
import Threads

/// The thread that starts the nursery, requests decoders from
/// it one after the other, and restarts it when it has ended.
///
/// Nursery and decoders are children of this thread: where the system
/// ends them with their parent (Linux), it does so when this thread ends.
final class NurseryKeeper: Sendable {
    private struct State {
        var wanted: [Request] = []
        var pid: pid_t?
        var isOver = false
        var hasEnded = false
    }

    /// A decoder that is wanted, and its end of the channel.
    private struct Request {
        var process: DecoderProcess
        var channel: Int32
    }

    private let path: String
    private let origin = ContinuousClock.now
    let children = DecoderChildren()
    private let state = Monitor(State())
    /// A byte written to the first wakes the thread, which waits for the second.
    private let bell: (rings: Int32, heard: Int32)

    init(path: String) {
        self.path = path
        var pair: [Int32] = [-1, -1]
        let paired = flick_socket_pair(&pair, 1)
        bell = (pair[0], pair[1])
        if paired == 0 {
            BlockingThread.start { [self] in run() }
        } else {
            state.withLock { ($0.isOver, $0.hasEnded) = (true, true) }
        }
    }

    deinit {
        close(bell.rings)
        close(bell.heard)
    }

    private var now: Duration { ContinuousClock.now - origin }
    var pid: pid_t? { state.withLock(\.pid) }

    /// - Parameter channel: belongs to the keeper from now on.
    func serve(_ process: DecoderProcess, channel: Int32) {
        let request = Request(process: process, channel: channel)
        let isOver = state.withLock { state in
            if !state.isOver { state.wanted.append(request) }
            return state.isOver
        }
        if isOver { give(up: request, .closed) } else { wake() }
    }

    /// The thread ends the nursery, and itself. Returns at once.
    func end() {
        state.change { $0.isOver = true }
        wake()
    }

    func waitForEnd() { _ = state.wait { $0.hasEnded ? () : nil } }

    private func wake() {
        // A socket that is full wakes the thread as well.
        let byte: UInt8 = 0
        _ = withUnsafeBytes(of: byte) { send(bell.rings, $0.baseAddress, 1, Int32(MSG_DONTWAIT)) }
    }

    private func give(up request: Request, _ error: WireError) {
        close(request.channel)
        request.process.failed(error)
    }

    // MARK: The thread

    private func run() {
        var life = NurseryLife()
        while serveWaiting(&life) { wait(&life) }
        life.end(now: now)
        state.change { ($0.pid, $0.hasEnded) = (nil, true) }
    }

    /// Serves the waiting requests. Returns false at the end, when they are cancelled.
    ///
    /// It is a separate function, and not part of the loop, so that the thread keeps no request while it
    /// waits: a request keeps its decoder, that its nursery, and a nursery that is kept does not end.
    @inline(never)
    private func serveWaiting(_ life: inout NurseryLife) -> Bool {
        let (wanted, isOver) = state.withLock { state in
            defer { state.wanted = [] }
            return (state.wanted, state.isOver)
        }
        for request in wanted {
            if isOver { give(up: request, .closed) } else { serve(request, &life) }
        }
        return !isOver
    }

    /// Has a decoder made. If the nursery ends meanwhile, another one makes it.
    private func serve(_ request: Request, _ life: inout NurseryLife) {
        while true {
            if !life.isAlive, life.isProven, let due = life.pause.due {
                // Only `end` shortens the pause.
                _ = state.wait(upTo: due - now) { $0.isOver ? () : nil }
            }
            guard !state.withLock(\.isOver) else { return give(up: request, .closed) }
            do throws(WireError) {
                try life.begin(path, now: now)
                noteProcess(of: life)
                let pid = try life.make(
                    channel: request.channel, ring: request.process.ring.descriptor, children: children
                ) { state.withLock(\.isOver) }
                close(request.channel)
                return request.process.started(as: pid)
            } catch {
                if life.hasFailed { life.end(now: now) }
                noteProcess(of: life)
                guard life.hasFailed, life.isProven else {
                    // How it ended says more than its closed socket.
                    return give(up: request, error == .closed ? life.error : error)
                }
            }
        }
    }

    /// Waits for a request, the end, or the end of the nursery, and starts another if that has worked.
    private func wait(_ life: inout NurseryLife) {
        if !life.isAlive, life.isProven, life.pause.mayStart(now: now) {
            // The next request for a decoder reports the error.
            try? life.begin(path, now: now)
            noteProcess(of: life)
        }
        var limit: Int32 = -1
        if !life.isAlive, life.isProven, let due = life.pause.due {
            limit = Int32(max((due - now) / .milliseconds(1), 0)) + 1
        }
        var sources = [
            pollfd(fd: bell.heard, events: Int16(POLLIN), revents: 0),
            pollfd(fd: life.socket, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&sources, nfds_t(sources.count), limit) > 0 else { return }
        if sources[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            _ = recv(bell.heard, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        }
        // It sends nothing but answers, so it has ended.
        if sources[1].revents != 0 {
            life.end(now: now)
            noteProcess(of: life)
        }
    }

    private func noteProcess(of life: NurseryLife) { state.withLock { $0.pid = life.isAlive ? life.pid : nil } }
}
