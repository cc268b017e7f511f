internal import CPlatform

/// The number of an open file, for calls that signals do not interrupt. It does not own the file. A value; any thread.
package struct Descriptor: Equatable, Sendable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    /// Opens a file that no started program inherits. A file that is made is the user's alone.
    package static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
        let number = uninterrupted { systemOpen(path, flags | O_CLOEXEC, 0o600) }
        guard number >= 0 else { throw SystemError("open") }
        return Descriptor(number)
    }

    package func close() { _ = systemClose(number) }

    /// Writes all of the bytes. Blocks, also where a descriptor is not to block.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = writeSome(rest)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if count < 0, errno == EAGAIN {
                _ = isReady(POLLOUT, within: nil)
            } else {
                throw SystemError("write", count < 0 ? errno : EIO)
            }
        }
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        // Typed throws do not go through `withUnsafeBytes`' rethrows; a Result does.
        let written: Result<Void, SystemError> = bytes.withUnsafeBytes { bytes in
            do throws(SystemError) { return .success(try write(bytes)) } catch { return .failure(error) }
        }
        try written.get()
    }

    /// Writes all of the bytes at an offset. Blocks.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        var done = 0
        while done < bytes.count {
            // The buffer is not empty, so it has a base address.
            let count = uninterrupted {
                pwrite(number, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
            }
            guard count > 0 else { throw SystemError("pwrite", count < 0 ? errno : EIO) }
            done += count
        }
    }

    /// Writes what there is room for. Returns how many bytes, or -1 with errno.
    package func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int {
        uninterrupted { systemWrite(number, bytes.baseAddress, bytes.count) }
    }

    /// Reads what there is, at most the buffer full. Returns how many bytes, 0 at the end, or -1 with errno.
    package func readSome(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        uninterrupted { systemRead(number, buffer.baseAddress, buffer.count) }
    }

    /// Sends what a socket has room for. A peer that has closed its end is an error, and no signal. Returns how many
    /// bytes, or -1 with errno.
    ///
    /// - Parameter waits: until there is room for one byte.
    package func send(_ bytes: UnsafeRawBufferPointer, waits: Bool) -> Int {
        #if canImport(Darwin)
            // The socket's SO_NOSIGPIPE does what the flag does elsewhere.
            let noSignal: Int32 = 0
        #else
            let noSignal = Int32(MSG_NOSIGNAL)
        #endif
        return systemSend(number, bytes.baseAddress, bytes.count, noSignal | (waits ? 0 : Int32(MSG_DONTWAIT)))
    }

    /// Reads what there is, at most the buffer full. Returns how many bytes, 0 at the end. Blocks.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        let count = readSome(into: buffer)
        guard count >= 0 else { throw SystemError("read") }
        return count
    }

    /// Fills the buffer with the bytes from an offset on; returns how many, which are fewer at the end. Blocks.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            // As above.
            let count = uninterrupted {
                pread(number, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + off_t(done))
            }
            guard count >= 0 else { throw SystemError("pread") }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Whether it can be read or written (`POLLIN`, `POLLOUT`), or has failed. Blocks.
    ///
    /// - Parameter limit: nil waits for ever.
    package func isReady(_ events: Int32, within limit: Duration?) -> Bool {
        var entry = pollfd(fd: number, events: Int16(events), revents: 0)
        return poll(&entry, 1, limit?.pollMilliseconds ?? -1) > 0
    }

    /// Gives the room of bytes back to the disk if the system can; they then read as zeros.
    package func punch(_ range: ClosedRange<Int64>) {
        _ = flick_punch_hole(number, range.lowerBound, Int64(range.count))
    }

    /// Copies bytes to the same offset of another file without reading them: the file system shares them (reflink), or
    /// copies them itself. Blocks. Returns how many, often fewer than `count`; 0 at the end, and where it cannot.
    package func copy(_ count: Int, from offset: Int64, to file: Descriptor) -> Int {
        max(uninterrupted { Int(flick_copy_range(number, file.number, offset, Int64(count))) }, 0)
    }

    /// Advises the system to read bytes soon.
    package func readAhead(_ count: Int, from offset: Int64) { flick_read_ahead(number, offset, Int64(count)) }
}

extension Duration {
    /// For poll(2); rounded up, so that a remaining fraction of a millisecond never causes a busy loop.
    var pollMilliseconds: Int32 { Int32(clamping: Int64((self / .milliseconds(1)).rounded(.up))) }
}

// Under other names, because `Descriptor` has methods of theirs.

private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }

private func systemClose(_ number: Int32) -> Int32 { close(number) }

private func systemRead(_ number: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(number, buffer, count)
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(number, bytes, count)
}

private func systemSend(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(number, bytes, count, flags)
}

/// The times of a file have other names on Darwin.
extension stat {
    #if canImport(Darwin)
        package var used: timespec { st_atimespec }
        package var modified: timespec { st_mtimespec }
        package var changed: timespec { st_ctimespec }
    #else
        package var used: timespec { st_atim }
        package var modified: timespec { st_mtim }
        package var changed: timespec { st_ctim }
    #endif
}
