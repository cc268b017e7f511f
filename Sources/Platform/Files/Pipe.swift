import Synchronization

/// A pipe whose ends no started program inherits. They are closed with it. Any thread.
package final class Pipe: Sendable {
    package let reading: Descriptor
    package let writing: Descriptor
    private let writingIsOpen = Atomic(true)

    /// - Parameter waits: whether reading waits for bytes, and writing for room.
    package init(waits: Bool = true) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            if !waits { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        }
        (reading, writing) = (Descriptor(ends[0]), Descriptor(ends[1]))
    }

    deinit {
        reading.close()
        closeWriting()
    }

    /// Once it was closed here, reading ends when all programs that have the other end have closed it, too.
    package func closeWriting() {
        if writingIsOpen.exchange(false, ordering: .relaxed) { writing.close() }
    }

    /// Makes the reading end readable.
    package func wake() {
        var byte: UInt8 = 1
        // A pipe without room for it is readable already.
        _ = write(writing.number, &byte, 1)
    }

    /// Takes back what `wake` has done, of a pipe that does not wait.
    package func clear() {
        var bytes: (UInt64, UInt64) = (0, 0)
        while read(reading.number, &bytes, 16) == 16 {}
    }
}
