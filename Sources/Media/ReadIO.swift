internal import CFFmpeg
import Platform
import Wire

/// A reader that libav uses through an `AVIOContext`. Called on the session's thread.
protocol ByteReader: AnyObject {
    var isSeekable: Bool { get }
    /// Copies at most `count` bytes into `buffer`; returns how many, or libav's error code. Blocks.
    func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> CInt
    /// Seeks as `avio_seek` does; returns the new offset, or libav's error code.
    func seek(to offset: Int64, whence: CInt) -> Int64
}

/// An `AVIOContext` over a reader, which it keeps alive.
final class ReadIO {
    let pointer: UnsafeMutablePointer<AVIOContext>
    private let reader: Reference

    /// A C pointer can refer to a class, but not to a value of a protocol type.
    private final class Reference {
        let reader: any ByteReader
        /// nil: not looked for.
        var encryption: Encryption?
        init(_ reader: any ByteReader) { self.reader = reader }
    }

    init(_ reader: any ByteReader) throws(MediaError) {
        self.reader = Reference(reader)
        self.reader.encryption = Encryption()
        let size = 32 << 10
        let io = avio_alloc_context(
            av_malloc(size)?.assumingMemoryBound(to: UInt8.self), CInt(size), 0,
            Unmanaged.passUnretained(self.reader).toOpaque(),
            { opaque, buffer, count in
                // libav guarantees both: the opaque pointer is the one passed
                // below, and the buffer has room for `count` bytes.
                let reference = Unmanaged<Reference>.fromOpaque(opaque!).takeUnretainedValue()
                let given = reference.reader.read(into: buffer!, count: Int(count))
                if given > 0 {
                    reference.encryption?.look(through: UnsafeBufferPointer(start: buffer, count: Int(given)))
                }
                return given
            }, nil, nil)
        guard let io else { throw MediaError(.limits, "out of memory") }
        io.pointee.seekable = 0
        pointer = io
        if reader.isSeekable { allowSeeking() }
    }

    /// From now on the reader can be read at any place.
    func allowSeeking() {
        pointer.pointee.seekable = AVIO_SEEKABLE_NORMAL
        pointer.pointee.seek = { opaque, offset, whence in
            // The opaque pointer, as above.
            Unmanaged<Reference>.fromOpaque(opaque!).takeUnretainedValue().reader.seek(to: offset, whence: whence)
        }
    }

    /// Until this is called, bytes are looked through for encrypted sample entries. Returns whether there was one.
    func endLook() -> Bool {
        defer { reader.encryption = nil }
        return reader.encryption?.isFound ?? false
    }

    deinit {
        // libav may have replaced the buffer.
        av_freep(&pointer.pointee.buffer)
        var io: UnsafeMutablePointer<AVIOContext>? = pointer
        avio_context_free(&io)
    }
}
