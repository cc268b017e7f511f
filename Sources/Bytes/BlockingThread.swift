#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread for calls that block: reading files and sockets, waiting for processes. Swift's shared pool is never used for those.
public enum BlockingThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new detached thread with signals blocked, so that they all reach the main thread.
    ///
    /// - Parameter name: at most 15 bytes are kept; shown by debuggers and `top -H`.
    public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // Half the usual size on Linux is plenty; untouched pages cost nothing either way.
        pthread_attr_setstacksize(&attributes, 4 << 20)
        defer { pthread_attr_destroy(&attributes) }

        // A new thread inherits the mask of the one that makes it.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // Crashes must stay deliverable: blocked, they would end the process without the terminal given back.
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] { sigdelset(&all, signal) }
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let opaque = Unmanaged.passRetained(Body(body)).toOpaque()
        #if canImport(Glibc)
            var thread = pthread_t()
            let code = pthread_create(
                &thread, &attributes,
                { opaque in
                    guard let opaque else { return nil }
                    Unmanaged<Body>.fromOpaque(opaque).takeRetainedValue().run()
                    return nil
                }, opaque)
            if code == 0 { pthread_setname_np(thread, String(name.prefix(15))) }
        #else
            var thread: pthread_t?
            let code = pthread_create(
                &thread, &attributes,
                { opaque in
                    Unmanaged<Body>.fromOpaque(opaque).takeRetainedValue().run()
                    return nil
                }, opaque)
        #endif
        precondition(code == 0, "no thread can be made: \(code)")
    }
}
