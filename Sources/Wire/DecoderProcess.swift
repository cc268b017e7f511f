import CProcess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A decoder process as flick sees it: its process id, the channel and the pictures that it shares with flick. From any thread.
public struct DecoderProcess: Sendable {
    public let pid: pid_t
    public let channel: DecoderChannel
    public let ring: PictureRing

    /// A decoder that already runs. `pid` 0 stands for one within this very process, which ends when its channel does (tests).
    public init(pid: pid_t, channel: DecoderChannel, ring: PictureRing) {
        self.pid = pid
        self.channel = channel
        self.ring = ring
    }

    /// Starts the decoder at `path`. Takes well under a millisecond of flick's time; the decoder needs about 30 ms before its `hello`.
    public static func spawn(path: String) throws(WireError) -> DecoderProcess {
        let ring = try PictureRing()
        var pair: [Int32] = [-1, -1]
        let paired = flick_socket_pair(&pair, 1 << 20)
        guard paired == 0 else { throw .system(call: "socketpair", code: -paired) }
        let channel = DecoderChannel(descriptor: pair[0])
        defer { close(pair[1]) }

        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("flick-decoder"), nil]
        // Enough for libav to find nothing of the user's: a decoder owns nothing.
        let environment: [UnsafeMutablePointer<CChar>?] = [strdup("LC_ALL=C"), nil]
        defer { for text in arguments + environment { free(text) } }
        var pid: pid_t = 0
        let code = flick_spawn(path, arguments, environment, -1, pair[1], ring.descriptor, &pid)
        guard code == 0 else { throw .system(call: "posix_spawn", code: -code) }
        return DecoderProcess(pid: pid, channel: channel, ring: ring)
    }

    /// Ends the process at once, whatever it does. Reap it afterwards.
    public func kill() {
        // The process may have ended by itself: ESRCH says what is wanted.
        if pid > 0 { _ = systemKill(pid, SIGKILL) }
        channel.shutDown()
    }

    /// Waits for the end of the process, which is there to be reaped afterwards. Blocks.
    public func waitForEnd() {
        guard pid > 0 else { return }
        var information = siginfo_t()
        // ECHILD: somebody was quicker, and has reaped it.
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
    }

    /// Waits for the end of the process and returns waitpid's status. Blocks.
    @discardableResult
    public func reap() -> Int32 {
        var status: Int32 = 0
        guard pid > 0 else { return status }
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}

private func systemKill(_ pid: pid_t, _ signal: Int32) -> Int32 {
    #if canImport(Glibc)
        Glibc.kill(pid, signal)
    #else
        Darwin.kill(pid, signal)
    #endif
}

/// The decoder's own side of `spawn`.
public enum DecoderSide {
    /// The channel and the ring that the process was started with; nil if it was started by something else than flick.
    public static func connect() throws(WireError) -> (channel: OwnerChannel, ring: PictureRing) {
        flick_die_with_parent()
        let channel = OwnerChannel(descriptor: Int32(FLICK_CHANNEL_FD))
        return (channel, try PictureRing(descriptor: Int32(FLICK_RING_FD)))
    }
}
