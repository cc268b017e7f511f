internal import CFFmpeg
import Platform
import Wire

/// Reads one resource, and keeps the piece that was read last. Releasing it
/// closes the resource. On the session's thread.
final class ResourceReader: ByteReader {
    let client: ByteClient
    let id: UInt32
    /// The URL after all redirections: relative references in the text are relative to it.
    let url: String
    let end: Int64
    private(set) var length: Int64
    /// Encrypted bytes can only be read from the beginning.
    var isSeekable: Bool { cipher == nil && canSeek }
    private var canSeek: Bool
    private var position: Int64
    private var piece: [UInt8] = []
    private var pieceStart: Int64 = 0
    /// How much to request: doubles during sequential reading, so that a header
    /// costs little and a long read needs few requests.
    private var step = ResourceReader.smallest
    private var cipher: Decipher?
    /// All bytes are in `piece`.
    private var isWhole = false
    private static let smallest = 64 << 10
    private static let largest = 512 << 10

    init(client: ByteClient, id: UInt32, url: String, start: Int64, end: Int64, length: Int64, seekable: Bool) {
        self.client = client
        self.id = id
        self.url = url
        self.end = end
        self.length = length
        canSeek = seekable
        position = start
    }

    deinit { client.closed(id: id) }

    /// Allows reads at any place even if they must wait until everything before has arrived. If the length is unknown,
    /// only with `evenToUnknownEnd`.
    func seekByWaiting(evenToUnknownEnd: Bool) { if length >= 0 || evenToUnknownEnd { canSeek = true } }

    /// The read callback of an `AVIOContext`.
    func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> CInt {
        if let cipher { return read(into: buffer, count: count, through: cipher) }
        let offset: Int
        switch load(count) {
        case .success(let place): offset = place
        case .failure(let error): return ResourceReader.code(error)
        }
        let available = min(count, piece.count - offset)
        guard available > 0 else { return flick_averror_eof() }
        piece.withUnsafeBytes { bytes in
            // Not empty: at least one byte is available.
            UnsafeMutableRawPointer(buffer).copyMemory(from: bytes.baseAddress! + offset, byteCount: available)
        }
        position += Int64(available)
        return CInt(available)
    }

    private static func code(_ error: MediaError) -> CInt {
        error.code == .unreadable ? flick_averror_io() : flick_averror_exit()
    }

    /// Loads the byte at `position` into `piece`, and returns its index there;
    /// at the end, the index after the last byte.
    private func load(_ count: Int) -> Result<Int, MediaError> {
        let offset = Int(clamping: position - pieceStart)
        if offset >= 0 && offset < piece.count { return .success(offset) }
        if isWhole { return .success(piece.count) }
        if offset != piece.count { step = ResourceReader.smallest }
        var wanted = max(step, min(count, ResourceReader.largest))
        if end >= 0 { wanted = Int(min(Int64(wanted), end - position)) }
        guard wanted > 0 else { return .success(piece.count) }
        let result = client.read(id: id, offset: position, count: wanted)
        if let news = client.news(of: id) {
            if news.length >= 0 { length = news.length }
            canSeek = canSeek || news.seekable
        }
        return result.map { bytes in
            // An empty read is the end.
            if bytes.isEmpty, length < 0, end < 0 { length = position }
            piece = bytes
            pieceStart = position
            step = min(step * 2, ResourceReader.largest)
            return 0
        }
    }

    // MARK: Texts

    /// The first bytes, as many as one request returns. Call it before any
    /// read; the bytes are not requested again. Blocks.
    func beginning() throws(MediaError) -> ArraySlice<UInt8> {
        let offset = try load(ResourceReader.smallest).get()
        return piece[offset...]
    }

    /// `count` bytes from `offset` on, or fewer if there are fewer or they
    /// cannot be read. The position of the next read stays the same. Blocks.
    func bytes(at offset: Int64, count: Int) -> [UInt8] {
        let before = position
        defer { position = before }
        var bytes: [UInt8] = []
        position = offset
        while bytes.count < count {
            let isHere = position >= pieceStart && position < pieceStart + Int64(piece.count)
            guard isHere || isSeekable, case .success(let place) = load(count - bytes.count), place < piece.count else {
                break
            }
            bytes += piece[place...].prefix(count - bytes.count)
            position = offset + Int64(bytes.count)
        }
        return bytes
    }

    /// All remaining bytes, if there are at most `limit`. Blocks.
    func whole(limit: Int, what: String) throws(MediaError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let offset = try load(ResourceReader.largest).get()
            guard offset < piece.count else { return bytes }
            bytes += piece[offset...]
            position += Int64(piece.count - offset)
            guard bytes.count <= limit else { throw MediaError(.limits, "\(what) has more than \(limit) bytes") }
        }
    }

    /// From now on the resource consists of these bytes.
    func replace(with bytes: [UInt8]) {
        piece = bytes
        pieceStart = 0
        position = 0
        length = Int64(bytes.count)
        isWhole = true
    }

    // MARK: Encryption

    func decipher(_ cipher: Decipher) { self.cipher = cipher }

    private func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int, through cipher: Decipher) -> CInt {
        while cipher.isEmpty, !cipher.isFinished {
            switch load(ResourceReader.largest) {
            case .success(let offset) where offset < piece.count:
                cipher.push(piece[offset...])
                position += Int64(piece.count - offset)
            case .success: cipher.finish()
            case .failure(let error): return ResourceReader.code(error)
            }
        }
        let given = cipher.read(into: UnsafeMutableBufferPointer(start: buffer, count: count))
        return given > 0 ? CInt(given) : flick_averror_eof()
    }

    // MARK: Seeking

    /// The seek callback of an `AVIOContext`.
    func seek(to offset: Int64, whence: CInt) -> Int64 {
        if whence & AVSEEK_SIZE != 0 { return length >= 0 ? length : Int64(flick_averror_io()) }
        let base: Int64
        switch whence & ~AVSEEK_FORCE {
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        case SEEK_END where length >= 0: base = length
        default: return Int64(flick_averror_invalid())
        }
        let (place, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, place >= 0 else { return Int64(flick_averror_invalid()) }
        position = place
        return place
    }
}
