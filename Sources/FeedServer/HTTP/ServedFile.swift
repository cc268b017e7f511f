import CServe
import NIOCore
import Platform

/// A file that was opened to be sent. Any thread; those calls block on the disk that say so.
final class ServedFile: Sendable {
    let size: Int64
    let validators: Validators
    private let handle: NIOFileHandle
    private let descriptor: Int32

    /// Opens a regular file below a folder, which it never leaves; nil if there is no such file. Blocks.
    ///
    /// - Parameter isFinal: its bytes never change, whatever its metadata says.
    init?(below root: Int32, path: some Collection<UInt8>, isFinal: Bool = false) {
        let descriptor = path.withCString { flick_open_beneath(root, $0) }
        guard descriptor >= 0 else { return nil }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        size = Int64(facts.st_size)
        let (time, change) = (facts.modified, facts.changed)
        validators = Validators(
            node: UInt64(facts.st_ino), size: size, seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec),
            changed: isFinal ? nil : (Int64(change.tv_sec), Int64(change.tv_nsec)))
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
    }

    private init(descriptor: Int32, size: Int64, validators: Validators) {
        (self.descriptor, self.size, self.validators) = (descriptor, size, validators)
        handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
    }

    /// The same file once more, for another connection: NIO refuses to send one handle on two event loops at a time.
    /// nil, with errno, if there is no descriptor left.
    func duplicate() -> ServedFile? {
        let other = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return other >= 0 ? ServedFile(descriptor: other, size: size, validators: validators) : nil
    }

    deinit {
        // It is open until here. Closing what was only read loses nothing, even if it fails.
        do { try handle.close() } catch {}
    }

    /// Sets the time of access to now. Failing that, it counts as unused.
    func markAsUsed() { flick_mark_used(descriptor) }

    /// Whether a part can be sent without waiting for the disk.
    func isResident(_ part: Range<Int64>) -> Bool {
        flick_is_resident(descriptor, part.lowerBound, part.count) == 1
    }

    /// Whether the file has been truncated since. Returns at once: fstat does not wait for the disk.
    func isShorter(than end: Int64) -> Bool {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && facts.st_size < end
    }

    /// The file itself outlives the region only if the caller sees to it.
    func region(_ part: Range<Int64>) -> FileRegion {
        FileRegion(fileHandle: handle, readerIndex: Int(part.lowerBound), endIndex: Int(part.upperBound))
    }

    /// Copies bytes from `offset` on into `buffer`, and returns how many: 0 at
    /// the end, -1 with errno if they cannot be read. Blocks.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        uninterrupted { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    /// The bytes of a part. Throws if the file has become shorter. Blocks.
    func read(_ part: Range<Int64>) throws -> ByteBuffer? {
        var buffer = ByteBufferAllocator().buffer(capacity: part.count)
        while buffer.readableBytes < part.count {
            let offset = part.lowerBound + Int64(buffer.readableBytes)
            let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: part.count - buffer.readableBytes) {
                max(0, pread(descriptor, $0.baseAddress, min($0.count, Int(part.upperBound - offset)), off_t(offset)))
            }
            guard count > 0 else { throw Shortened() }
        }
        return buffer
    }

    /// Brings a part into the system's memory. Throws if the file has become shorter. Blocks.
    func warm(_ part: Range<Int64>) throws -> ByteBuffer? {
        // Without it the disk is read later.
        Descriptor(descriptor).readAhead(part.count, from: part.upperBound)
        var scratch = [UInt8](repeating: 0, count: 1 << 16)
        var offset = part.lowerBound
        while offset < part.upperBound {
            let count = pread(descriptor, &scratch, min(scratch.count, Int(part.upperBound - offset)), off_t(offset))
            guard count > 0 else { throw Shortened() }
            offset += Int64(count)
        }
        return nil
    }

    struct Shortened: Error {}

    /// All bytes of a small file; nil if there are more than `limit`. Blocks.
    func bytes(upTo limit: Int) -> [UInt8]? {
        size <= limit ? beginning(upTo: limit) : nil
    }

    /// The bytes of a file, `limit` at most; nil if it has become shorter. Blocks.
    func beginning(upTo limit: Int) -> [UInt8]? {
        do {
            return try read(0..<min(size, Int64(limit))).map { Array($0.readableBytesView) } ?? []
        } catch {
            // It has become shorter meanwhile, which is as good as none.
            return nil
        }
    }
}
