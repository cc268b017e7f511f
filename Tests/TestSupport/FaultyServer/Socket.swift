#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The calls of POSIX that a server is made of, each as both systems spell it. No descriptor of theirs is inherited by programs started later.
enum Socket {
    struct Failure: Error, CustomStringConvertible {
        var call: String
        var code: Int32
        var description: String { "\(call): \(String(cString: strerror(code)))" }
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let sendFlags = Int32(MSG_NOSIGNAL)
        /// The other side has ended its half (POLLRDHUP; poll(2)).
        private static let hangUp: Int16 = 0x2000
    #else
        private static let stream = SOCK_STREAM
        private static let sendFlags: Int32 = 0
        private static let hangUp: Int16 = 0
    #endif

    /// Listens on 127.0.0.1. Port 0: one that is free. Returns the descriptor and the port.
    static func listen(port: UInt16) throws(Failure) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        seal(descriptor)
        set(descriptor, SO_REUSEADDR, Int32(1))
        var address = loopback(port: port)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(descriptor, pointer, size) == 0, systemListen(descriptor, 512) == 0,
                    getsockname(descriptor, pointer, &size) == 0
                else { return errno }
                return 0
            }
        }
        guard code == 0 else {
            systemClose(descriptor)
            throw Failure(call: "bind or listen", code: code)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Connects to 127.0.0.1. Blocks.
    static func connect(port: UInt16) throws(Failure) -> Int32 {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        seal(descriptor)
        var address = loopback(port: port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                systemConnect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 ? 0 : errno
            }
        }
        guard code == 0 else {
            systemClose(descriptor)
            throw Failure(call: "connect", code: code)
        }
        return descriptor
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// The other side's port; 0 if it has left.
    static func peerPort(_ descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        return code == 0 ? UInt16(bigEndian: address.sin_port) : 0
    }

    /// The next connection; nil if it is gone again, or there is no descriptor left.
    static func acceptOne(_ listener: Int32) -> Int32? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        seal(descriptor)
        set(descriptor, Int32(TCP_NODELAY), Int32(1), level: Int32(IPPROTO_TCP))
        // What is counted as sent has nearly arrived.
        set(descriptor, SO_SNDBUF, Int32(1 << 16))
        return descriptor
    }

    /// A pair of connected descriptors, to wake who polls one of them.
    static func pair() throws(Failure) -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, stream, 0, &ends) == 0 else { throw Failure(call: "socketpair", code: errno) }
        seal(ends[0])
        seal(ends[1])
        return (ends[0], ends[1])
    }

    /// Waits until one of two descriptors can be read.
    static func waitForEither(_ first: Int32, _ second: Int32) -> (Bool, Bool) {
        var sources = [first, second].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&sources, 2, -1) < 0, errno == EINTR {}
        return (sources[0].revents != 0, sources[1].revents != 0)
    }

    /// Waits; false at once when the other side leaves, or has left.
    static func wait(_ descriptor: Int32, until end: ContinuousClock.Instant?) -> Bool {
        while true {
            if let end, end <= .now { return true }
            // A millisecond more rather than less: the last one is not spent going round.
            let left = end.map { Int32(clamping: Int64(($0 - .now) / .milliseconds(1)) + 1) } ?? -1
            var source = pollfd(fd: descriptor, events: hangUp, revents: 0)
            if poll(&source, 1, left) > 0 { return false }
        }
    }

    /// All of it; false if the other side has left.
    static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = systemSend(descriptor, bytes.baseAddress! + sent, bytes.count - sent, sendFlags)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return false }
                sent += count
            }
            return true
        }
    }

    /// What has come; empty at the end.
    static func receive(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, initialized in
            var count: Int
            repeat { count = recv(descriptor, buffer.baseAddress, 1 << 14, 0) } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
    }

    /// Ends our half, and waits a second at most for the other side to end its own: what was sent is not lost by a reset.
    static func finish(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_WR))
        let end = ContinuousClock.now + .seconds(1)
        var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while ContinuousClock.now < end, poll(&source, 1, 1_000) > 0, !receive(descriptor).isEmpty {}
    }

    /// Ends both halves: whoever waits for it, or sends, is woken.
    static func end(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

    static func close(_ descriptor: Int32) { systemClose(descriptor) }

    /// Makes the coming `close` a reset.
    static func resetOnClose(_ descriptor: Int32) {
        set(descriptor, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    private static func seal(_ descriptor: Int32) {
        // Neither can fail for a descriptor that is open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            set(descriptor, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    private static func set(_ descriptor: Int32, _ name: Int32, _ value: some Any, level: Int32 = SOL_SOCKET) {
        withUnsafeBytes(of: value) {
            // What is not taken is no harm: these make the server better, not right.
            _ = setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count))
        }
    }
}

// Within `Socket` its own functions hide the system's.
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(descriptor, address, size)
}
private func systemClose(_ descriptor: Int32) { close(descriptor) }
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
