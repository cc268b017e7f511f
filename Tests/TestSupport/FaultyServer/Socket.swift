import Platform

/// The POSIX socket calls that the server needs, for Linux and Darwin. Programs
/// that tests start do not inherit these descriptors.
enum Socket {
    struct Error: Swift.Error, CustomStringConvertible {
        var call: String
        var code: Int32
        var description: String { "\(call): \(String(cString: strerror(code)))" }
    }

    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let sendFlags = Int32(MSG_NOSIGNAL)
        /// The other side has closed its half (POLLRDHUP; poll(2)).
        private static let hangUp: Int16 = 0x2000
    #else
        private static let stream = SOCK_STREAM
        private static let sendFlags: Int32 = 0
        private static let hangUp: Int16 = 0
    #endif

    /// Listens on 127.0.0.1. Port 0 means any free one. Returns the descriptor and the port.
    static func listen(port: UInt16) throws(Error) -> (descriptor: Int32, port: UInt16) {
        let bound = try bind(port: port)
        guard systemListen(bound.descriptor, 512) == 0 else {
            defer { systemClose(bound.descriptor) }
            throw Error(call: "listen", code: errno)
        }
        return bound
    }

    /// Takes a port of 127.0.0.1, where nothing listens yet. Port 0 means any free one.
    static func bind(port: UInt16) throws(Error) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Error(call: "socket", code: errno) }
        seal(descriptor)
        set(descriptor, SO_REUSEADDR, Int32(1))
        var address = loopback(port: port)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                systemBind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0 ? 0 : errno
            }
        }
        guard code == 0 else {
            systemClose(descriptor)
            throw Error(call: "bind", code: code)
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// Connects to 127.0.0.1. Blocks.
    static func connect(port: UInt16) throws(Error) -> Int32 {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Error(call: "socket", code: errno) }
        seal(descriptor)
        var address = loopback(port: port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                systemConnect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 ? 0 : errno
            }
        }
        guard code == 0 else {
            systemClose(descriptor)
            throw Error(call: "connect", code: code)
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

    /// The next connection; nil if it is gone already, or if there is no free descriptor.
    static func acceptOne(_ listener: Int32) -> Int32? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        seal(descriptor)
        set(descriptor, Int32(TCP_NODELAY), Int32(1), level: Int32(IPPROTO_TCP))
        // A small buffer, so that bytes counted as sent have almost arrived.
        set(descriptor, SO_SNDBUF, Int32(1 << 16))
        return descriptor
    }

    /// A pair of connected descriptors, to wake a thread that polls one of them.
    static func pair() throws(Error) -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, stream, 0, &ends) == 0 else { throw Error(call: "socketpair", code: errno) }
        seal(ends[0])
        seal(ends[1])
        return (ends[0], ends[1])
    }

    /// Waits until one of two descriptors is readable.
    static func waitForEither(_ first: Int32, _ second: Int32) -> (Bool, Bool) {
        var sources = [first, second].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&sources, 2, -1) < 0, errno == EINTR {}
        return (sources[0].revents != 0, sources[1].revents != 0)
    }

    /// Waits; returns false at once if the other side leaves or has left.
    static func wait(_ descriptor: Int32, until end: ContinuousClock.Instant?) -> Bool {
        while true {
            if let end, end <= .now { return true }
            // Rounded up, so that the last millisecond is not spent in a busy loop.
            let left = end.map { Int32(clamping: Int64(($0 - .now) / .milliseconds(1)) + 1) } ?? -1
            var source = pollfd(fd: descriptor, events: hangUp, revents: 0)
            if poll(&source, 1, left) > 0 { return false }
        }
    }

    /// Sends all bytes; false if the other side has left.
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

    /// The bytes that have arrived; empty at the end.
    static func receive(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, initialized in
            var count: Int
            repeat { count = recv(descriptor, buffer.baseAddress, 1 << 14, 0) } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
    }

    /// Closes our half and waits up to a second for the other side to close its
    /// own, so that a reset does not lose what was sent.
    static func finish(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_WR))
        let end = ContinuousClock.now + .seconds(1)
        var source = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while ContinuousClock.now < end, poll(&source, 1, 1_000) > 0, !receive(descriptor).isEmpty {}
    }

    /// Closes both halves, which wakes all threads that wait for it or send.
    static func end(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

    static func close(_ descriptor: Int32) { systemClose(descriptor) }

    /// Makes the next `close` a reset.
    static func resetOnClose(_ descriptor: Int32) {
        set(descriptor, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    private static func seal(_ descriptor: Int32) {
        // Neither call can fail for an open descriptor.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            set(descriptor, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    private static func set(_ descriptor: Int32, _ name: Int32, _ value: some Any, level: Int32 = SOL_SOCKET) {
        withUnsafeBytes(of: value) {
            // Failures are harmless: these options are optional.
            _ = setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count))
        }
    }
}

// Inside `Socket` its own functions hide the system's.
private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    bind(descriptor, address, size)
}
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(descriptor, address, size)
}
private func systemClose(_ descriptor: Int32) { close(descriptor) }
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
