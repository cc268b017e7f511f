import Platform

#if canImport(Darwin)
    private let stream = SOCK_STREAM
#else
    private let stream = Int32(SOCK_STREAM.rawValue)
#endif

/// Stream sockets with a name in the file system (unix(7)). No started program inherits them.
enum UnixSocket {
    /// Listens at a path, for this user only. What is there already is replaced.
    static func listen(at path: String) throws(SystemError) -> Descriptor {
        // Under another name until it listens: a flick that looks for stale sockets would find no one there.
        let early = path + ".new"
        unlink(early)
        let socket = try make()
        // The mode of the socket itself does not count on every system; that of the folder does.
        let bound = try call("bind", socket, early) { bind(socket.number, $0, $1) }
        guard bound == 0, chmod(early, 0o600) == 0, systemListen(socket.number) == 0, rename(early, path) == 0 else {
            let code = errno
            unlink(early)
            socket.close()
            throw SystemError("bind", code)
        }
        setWaiting(socket, false)
        return socket
    }

    /// Connects to the socket of a process of this user. Blocks for at most `limit`; reading and writing block as long.
    static func connect(to path: String, within limit: Duration) throws(SystemError) -> Descriptor {
        let socket = try make()
        let (seconds, attoseconds) = limit.components
        var time = timeval()
        time.tv_sec = numericCast(seconds)
        time.tv_usec = numericCast(attoseconds / 1_000_000_000_000)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
            setsockopt(socket.number, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        guard try call("connect", socket, path, { systemConnect(socket.number, $0, $1) }) == 0 else {
            let code = errno
            socket.close()
            throw SystemError("connect", code)
        }
        guard isOwn(socket) else {
            socket.close()
            throw SystemError("connect", EPERM)
        }
        return socket
    }

    /// The next connection, whose reads and writes do not wait; nil with errno if no one waits.
    static func accept(from listener: Descriptor) -> Descriptor? {
        let number = uninterrupted { systemAccept(listener.number) }
        guard number >= 0 else { return nil }
        let socket = Descriptor(number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        setWaiting(socket, false)
        return socket
    }

    /// Whether the process at the other end is this user's.
    static func isOwn(_ socket: Descriptor) -> Bool {
        #if canImport(Darwin)
            var (user, group) = (uid_t(), gid_t())
            return getpeereid(socket.number, &user, &group) == 0 && user == geteuid()
        #else
            // `struct ucred`, which Swift does not see: the process, the user and the group.
            var peer: (pid: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
            var size = socklen_t(MemoryLayout.size(ofValue: peer))
            return getsockopt(socket.number, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.user == geteuid()
        #endif
    }

    private static func make() throws(SystemError) -> Descriptor {
        let number = socket(AF_UNIX, stream, 0)
        guard number >= 0 else { throw SystemError("socket") }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            var yes: Int32 = 1
            setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return Descriptor(number)
    }

    private static func setWaiting(_ socket: Descriptor, _ waits: Bool) {
        let flags = fcntl(socket.number, F_GETFL)
        _ = fcntl(socket.number, F_SETFL, waits ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
    }

    /// Calls `body` with the address of a path. Closes `socket` and throws if the path is too long for one.
    private static func call(
        _ name: String, _ socket: Descriptor, _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            socket.close()
            throw SystemError(name, ENAMETOOLONG)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

// Under other names, because `UnixSocket` has functions of theirs.

/// The queue holds what comes while flick does something else.
private func systemListen(_ number: Int32) -> Int32 { listen(number, 128) }

private func systemConnect(_ number: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(number, address, size)
}

private func systemAccept(_ number: Int32) -> Int32 { accept(number, nil, nil) }
