import CProcess
import Platform
import Threads

/// A decoder process as flick sees it: the channel and the pictures
/// that it shares with flick, and its life. From any thread.
///
/// It exists once the nursery was asked for it; messages sent before
/// it runs wait in its channel. Its owner kills and reaps it.
public final class DecoderProcess: Sendable {
    public let channel: DecoderChannel
    public let ring: PictureRing

    private struct State {
        var life = Life.starting
        var isKilled = false
        /// Why it was never started.
        var error: WireError?
    }

    private enum Life {
        case starting
        case running(pid_t)
        /// One thread waits for its end, and reaps it.
        case ending(pid_t)
        case ended(pid_t?, status: Int32)

        var pid: pid_t? {
            switch self {
            case .starting: nil
            case .running(let pid), .ending(let pid): pid
            case .ended(let pid, _): pid
            }
        }

        var hasEnded: Bool { if case .ended = self { true } else { false } }
    }

    private let state = Monitor(State())
    /// Retained, as decoders end with it.
    private let nursery: Nursery?

    /// A decoder that was requested from the nursery.
    init(channel: DecoderChannel, ring: PictureRing, nursery: Nursery) {
        self.channel = channel
        self.ring = ring
        self.nursery = nursery
    }

    /// A decoder within this very process, which ends when its channel does (tests). Its process id is 0.
    public init(channel: DecoderChannel, ring: PictureRing) {
        self.channel = channel
        self.ring = ring
        nursery = nil
        started(as: 0)
    }

    /// Its process id; nil as long as it was not started.
    public var pid: Int32? { state.withLock(\.life.pid) }

    /// The processor time of all its threads so far; nil if there is no process.
    public var processorTime: Duration? {
        state.withLock { state in
            var clock = clockid_t()
            var time = timespec()
            guard let pid = state.life.pid, pid > 0, !state.life.hasEnded, clock_getcpuclockid(pid, &clock) == 0,
                clock_gettime(clock, &time) == 0
            else { return nil }
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
    }

    public var hasEnded: Bool { state.withLock(\.life.hasEnded) }

    /// Its process id, once it runs. Blocks until then; throws if it cannot be started.
    @discardableResult
    public func waitUntilStarted() throws(WireError) -> Int32 {
        let started: Result<pid_t, WireError>? = state.wait { state in
            if let error = state.error { return .failure(error) }
            return state.life.pid.map { .success($0) }
        }
        // `wait` without a limit always returns a value.
        guard let started else { throw .closed }
        return try started.get()
    }

    /// The nursery has made it.
    func started(as pid: pid_t) {
        state.change { state in
            state.life = .running(pid)
            if state.isKilled, pid > 0 { ChildProcess.signal(pid, SIGKILL) }
        }
    }

    /// There will be no process.
    func failed(_ error: WireError) {
        state.change { state in
            state.error = error
            state.life = .ended(nil, status: 0)
        }
        channel.shutDown()
    }

    /// Ends the process at once, whatever it does. Reap it afterwards. Never blocks.
    public func kill() {
        state.withLock { state in
            state.isKilled = true
            switch state.life {
            // It is not reaped yet, so the number is still its own. It may have ended by itself, which is fine.
            case .running(let pid) where pid > 0, .ending(let pid) where pid > 0: ChildProcess.signal(pid, SIGKILL)
            default: break
            }
        }
        channel.shutDown()
    }

    /// Waits for the end of the process, and returns waitpid's status; 0 if there never was one. Blocks.
    @discardableResult
    public func reap() -> Int32 {
        enum Turn {
            case own(pid_t)
            case other(status: Int32)
        }
        let turn = state.wait { state -> Turn? in
            switch state.life {
            case .starting, .ending: return nil
            case .running(let pid):
                state.life = .ending(pid)
                return .own(pid)
            case .ended(_, let status): return .other(status: status)
            }
        }
        switch turn {
        case .own(let pid):
            if pid > 0 { ChildProcess.waitForExit(of: pid) }
            // Under the lock, so that no thread kills another process that has got its number.
            return state.change { state in
                let status = pid > 0 ? nursery?.children.reap(pid) ?? 0 : 0
                state.life = .ended(pid, status: status)
                return status
            }
        case .other(let status): return status
        case nil: return 0
        }
    }
}

/// waitpid's status as in the trace: "exit 1", "signal 9".
public func describe(status: Int32) -> String {
    status & 0x7F == 0 ? "exit \((status >> 8) & 0xFF)" : "signal \(status & 0x7F)"
}

/// waitpid's status in words, for messages: "exited with status 1", "terminated (signal 9)".
public func ending(status: Int32) -> String {
    status & 0x7F == 0 ? "exited with status \((status >> 8) & 0xFF)" : "terminated (signal \(status & 0x7F))"
}

/// The decoder's own side.
public enum DecoderSide {
    /// Works as a decoder. On its own thread, the only one that may run Swift in a decoder
    /// (docs/decisions/decoder-copies.md); returning ends the process.
    public typealias Work = @Sendable (_ channel: OwnerChannel, _ ring: PictureRing, _ confinement: Confinement) -> Void

    /// What the nursery's copies inherit.
    private final class Inheritance: Sendable {
        let work: Work
        init(work: @escaping Work) { self.work = work }
    }

    /// Becomes the nursery: runs `work` in each decoder that flick requests. Call it before anything
    /// else, while the process has one thread. Returns only if the process was not started by flick.
    ///
    /// - Parameter confine: drops the rights that decoding does not need, before
    ///   `work` and before the first byte of a clip. It may call nothing but C.
    public static func serve(confine: @convention(c) () -> Int32, work: @escaping Work) {
        let inheritance = Unmanaged.passRetained(Inheritance(work: work))
        _ = flick_nursery_serve(
            confine,
            { confinement, context in
                // The context is the inheritance, which lives as long as the process.
                let inheritance = Unmanaged<Inheritance>.fromOpaque(context!).takeUnretainedValue()
                let channel = OwnerChannel(descriptor: Int32(FLICK_CHANNEL_FD))
                // `try?`: the error cannot be reported. Returning closes the channel, which flick notices.
                guard let ring = try? PictureRing(descriptor: Int32(FLICK_RING_FD)) else { return }
                inheritance.work(channel, ring, Confinement(rawValue: UInt8(truncatingIfNeeded: confinement)))
            }, inheritance.toOpaque())
        inheritance.release()
    }
}

extension WireError {
    /// Whether the system lacks descriptors, memory or processes: it may have some again in a moment.
    public var isShortage: Bool {
        if case .system(_, let code) = self { [EMFILE, ENFILE, ENOMEM, EAGAIN].contains(code) } else { false }
    }
}
