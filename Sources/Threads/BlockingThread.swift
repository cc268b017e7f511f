#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts threads for calls that block, which must not run on Swift's shared pool. A thread ends with its body.
public enum BlockingThread {
    /// Runs `body` on a new thread. Returns false if the system has no thread left.
    @discardableResult
    public static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(Body(run: body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        let code = pthread_create(&thread, &attributes, runBody, box.toOpaque())
        if code != 0 { box.release() }
        return code == 0
    }

    fileprivate final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

#if canImport(Glibc)
    private func runBody(_ opaque: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        // The pointer is the retained box of `start`.
        Unmanaged<BlockingThread.Body>.fromOpaque(opaque!).takeRetainedValue().run()
        return nil
    }
#else
    private func runBody(_ opaque: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<BlockingThread.Body>.fromOpaque(opaque).takeRetainedValue().run()
        return nil
    }
#endif
