internal import CNcurses
import Threads

/// The thread that writes to the terminal, and what waits for it.
///
/// A pseudo-terminal takes about 4 KB at a time. The thread waits for room within one `write`, so an update of 250 KB
/// costs the main loop no wake-up. All methods may be called from any thread. Only `stop` and `end` wait: for the
/// thread to leave its write.
final class TTYWriter: Sendable {
    private struct State {
        /// Bytes queued since the thread last fetched some.
        var waiting: [UInt8] = []
        /// The thread has noted its id, by which its writes can be interrupted.
        var hasBegun = false
        /// The thread is writing the bytes that it has fetched.
        var isWriting = false
        var isGone = false
        var isEnded = false
        var wakesWhenDone = false

        /// The terminal has not taken everything yet.
        var isBusy: Bool { !isGone && (isWriting || !waiting.isEmpty) }
    }

    private let descriptor: Int32
    private let monitor = Monitor(State())
    private let wake: @Sendable () -> Void
    private let handle: Handle

    /// Frees the C writer when neither the thread nor the owner needs it any more.
    // @unchecked: the pointer never changes, and what it points to is made of atomics, written before the thread is
    // known to others.
    private final class Handle: @unchecked Sendable {
        let pointer: OpaquePointer
        init?() {
            guard let pointer = flick_writer_make() else { return nil }
            self.pointer = pointer
        }
        deinit { flick_writer_free(pointer) }
    }

    /// Starts the thread; nil if the system has no memory left.
    ///
    /// - Parameters:
    ///   - descriptor: to be written to, which may block. It must stay open until `end` has returned.
    ///   - wake: called on the thread, as `wakeWhenDone` says.
    init?(descriptor: Int32, wake: @escaping @Sendable () -> Void) {
        guard let handle = Handle() else { return nil }
        self.descriptor = descriptor
        self.wake = wake
        self.handle = handle
        BlockingThread.start { [self] in run() }
        let _: Void? = monitor.wait { $0.hasBegun ? () : nil }
    }

    /// The terminal has not taken everything yet.
    var isBusy: Bool { monitor.withLock(\.isBusy) }

    /// The terminal has hung up.
    var isGone: Bool { monitor.withLock(\.isGone) }

    /// Queues bytes behind those of before.
    func write(_ bytes: UnsafeRawBufferPointer) {
        monitor.change { state in
            guard !state.isGone, !state.isEnded else { return }
            state.waiting.append(contentsOf: bytes)
        }
    }

    /// Writes what a descriptor that does not block has room for, while nothing is queued. On the main thread.
    ///
    /// - Returns: how many bytes; -1 with errno: `EAGAIN` if the writer is stopped.
    func send(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
        flick_writer_send(handle.pointer, descriptor, bytes.baseAddress, bytes.count)
    }

    /// Has `wake` called once the terminal has taken everything; false if it has already.
    func wakeWhenDone() -> Bool {
        monitor.withLock { state in
            state.wakesWhenDone = state.isBusy
            return state.isBusy
        }
    }

    /// Drops the queue, interrupts the current write, and drops everything until `resume`.
    /// Waits until the thread has left its write: a millisecond or two, at most 2 s.
    func stop() {
        monitor.withLock { $0.waiting.removeAll() }
        _ = flick_writer_stop(handle.pointer)
        let _: Void? = monitor.wait(upTo: .seconds(1)) { $0.isWriting ? nil : () }
    }

    /// Writes again after `stop`, or after the terminal was given back by `flick_rescue_now`.
    func resume() { flick_writer_allow(handle.pointer) }

    /// Ends the thread; nothing more is written. Returns false if its write could not be interrupted: its descriptor
    /// must then stay open.
    func end() -> Bool {
        monitor.change { $0.isEnded = true }
        return flick_writer_stop(handle.pointer) != 0
    }

    /// Whether this writer is stopped before a process that dies gives the terminal back.
    func stopsBeforeRescue(_ stops: Bool) { flick_rescue_stops(stops ? handle.pointer : nil) }

    private func run() {
        flick_writer_begin(handle.pointer)
        monitor.change { $0.hasBegun = true }
        var bytes: [UInt8] = []
        while true {
            bytes.removeAll(keepingCapacity: true)
            // The two buffers are exchanged, so that neither is copied or allocated again.
            let goesOn = monitor.wait { state -> Bool? in
                if state.isEnded { return false }
                guard !state.waiting.isEmpty else { return nil }
                swap(&state.waiting, &bytes)
                state.isWriting = true
                return true
            }
            guard goesOn == true else { return }
            let sent = bytes.withUnsafeBytes {
                flick_writer_write(handle.pointer, descriptor, $0.baseAddress, $0.count)
            }
            let wakes = monitor.change { state in
                state.isWriting = false
                if sent < 0 { state.isGone = true }
                guard state.wakesWhenDone, state.isGone || state.waiting.isEmpty else { return false }
                state.wakesWhenDone = false
                return true
            }
            if wakes { wake() }
        }
    }
}
