import CProcess
import Platform

/// The nursery's process, or the pause after it. Belongs to the keeper's thread.
struct NurseryLife {
    /// To the nursery; -1 while it is not running.
    private(set) var socket: Int32 = -1
    private(set) var pid: pid_t = 0
    /// The last one has made a decoder, so nothing that it needs is missing: it is restarted without a request.
    private(set) var isProven = false
    private(set) var pause = RestartPause()
    /// It does not answer, or has ended: it is unusable.
    private(set) var hasFailed = false
    private var began = Duration.zero
    /// Why the last one could not be started, or made nothing.
    private(set) var error = WireError.closed

    /// The first answer comes once it is loaded, perhaps from a slow disk. In milliseconds.
    private static let patience: (first: Int32, later: Int32) = (30_000, 2_000)
    /// How long an end may go unnoticed while it does not come. In milliseconds.
    private static let slice: Int32 = 100
    /// After such a life another one is started as if it were the first.
    private static let longLife = Duration.seconds(60)

    var isAlive: Bool { socket >= 0 }

    /// Starts the process unless it runs. Throws during the pause, too.
    mutating func begin(_ path: String, now: Duration) throws(WireError) {
        guard !isAlive else { return }
        guard pause.mayStart(now: now) else { throw error }
        began = now
        hasFailed = false
        do throws(WireError) { try spawn(path) } catch {
            self.error = error
            isProven = false
            pause.failed(now: now)
            throw error
        }
    }

    private mutating func spawn(_ path: String) throws(WireError) {
        var pair: [Int32] = [-1, -1]
        let paired = flick_socket_pair(&pair, 4_096)
        guard paired == 0 else { throw .system(call: "socketpair", code: -paired) }
        defer { close(pair[1]) }
        // A minimal environment, so that libav finds nothing of the user's: a decoder owns
        // nothing. It gets its own process group, so that ^C in the terminal does not reach it.
        let nursery = Invocation(
            path: path, ["flick-decoder"], environment: ["LC_ALL": "C"],
            streams: [Int32(FLICK_NURSERY_FD): .descriptor(pair[1])])
        do throws(SystemError) { pid = try nursery.start() } catch {
            close(pair[0])
            throw .system(call: error.call, code: error.code)
        }
        socket = pair[0]
        isProven = false
    }

    /// Requests a decoder, and waits for its process id. After an error with `hasFailed` the nursery is unusable.
    ///
    /// - Parameters:
    ///   - children: adopt the decoder, if it is one.
    ///   - isOver: whether the decoder is no longer needed. Polled while the nursery does not answer.
    mutating func make(
        channel: Int32, ring: Int32, children: DecoderChildren, isOver: () -> Bool
    ) throws(WireError) -> pid_t {
        let asked = flick_nursery_ask(socket, channel, ring)
        guard asked == 0 else {
            hasFailed = asked == -EPIPE || asked == -ECONNRESET
            throw hasFailed ? .closed : .system(call: "sendmsg", code: -asked)
        }
        var answer: Int32 = 0
        var (received, waited) = (-ETIMEDOUT, Int32(0))
        while received == -ETIMEDOUT, waited < (isProven ? Self.patience.later : Self.patience.first), !isOver() {
            received = flick_nursery_answer(socket, Self.slice, &answer)
            waited += Self.slice
        }
        guard received == 0 else {
            // It has ended, or its answer is still to come and would be taken for the next one.
            hasFailed = true
            throw .closed
        }
        guard answer > 0 else { throw .system(call: "clone", code: -answer) }
        guard children.adopt(answer, group: pid) else {
            hasFailed = true
            throw .invalid("process id")
        }
        isProven = true
        // Where a nursery makes one decoder only, it has become that.
        if answer == pid { leave() }
        return answer
    }

    /// Kills and reaps the process, if there is one, and begins the pause.
    mutating func end(now: Duration) {
        guard isAlive else { return }
        ChildProcess.signal(pid, SIGKILL)
        error = .ended(status: ChildProcess.reap(pid))
        leave()
        if now - began >= Self.longLife { pause.worked() }
        pause.failed(now: now)
    }

    private mutating func leave() {
        close(socket)
        socket = -1
    }
}
