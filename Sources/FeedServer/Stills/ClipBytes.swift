import Bytes
import Model
import Platform
import Threads

/// The bytes that the decoder of one clip may read: the clip's, and of a playlist what clients get of it, too. Nothing
/// else in the served folder, nothing outside it, nothing of the network. A value; opening and reading block.
///
/// To the decoder the served folder is the root of all files: it does not learn where that is.
struct ClipBytes: ByteProvider {
    let keeper: FolderKeeper
    /// Below the served folder.
    let path: [UInt8]
    /// The edition to read, even if another takes its place meanwhile.
    let clip: ServedFile

    /// The clip's address.
    var url: String { FileURL.url(path: [UInt8(ascii: "/")] + path) }

    func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        guard let other = FileURL.path(of: request.url)?.dropFirst() else {
            throw BytesError(verb: .open, url: request.url, reason: .forbidden)
        }
        if other.elementsEqual(path) { return ServedSource(clip, url: request.url) }
        guard let part = part(other) else { throw BytesError(verb: .open, url: request.url, reason: .forbidden) }
        guard let file = ServedFile(below: keeper.root, path: part) else {
            throw BytesError(verb: .open, url: request.url, reason: .system(ENOENT))
        }
        return ServedSource(file, url: request.url)
    }

    /// The path of what the playlist names; nil if a client would not get it.
    private func part(_ other: ArraySlice<UInt8>) -> [UInt8]? {
        guard ServedPlaylist.isOne(path) else { return nil }
        let folder = path.dropLast(ServedPlaylist.name(of: path[...]).count)
        guard other.starts(with: folder), let rest = String(validating: other.dropFirst(folder.count), as: UTF8.self)
        else { return nil }
        return ServedPlaylist.path(of: rest, beside: path[...])
    }
}

/// A file of the served folder as a decoder reads it. Any thread.
private final class ServedSource: ByteSource {
    let url: String
    let isSeekable = true
    private let file: ServedFile

    init(_ file: ServedFile, url: String) { (self.file, self.url) = (file, url) }

    var length: Int64? { file.size }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int {
        guard offset >= 0 else { throw BytesError(verb: .read, url: url, reason: .negativeOffset) }
        // No file is so large that the end of the read overflows; pread would report an invalid argument.
        guard buffer.count > 0, offset <= Int64.max - Int64(buffer.count) else { return 0 }
        let count = file.read(at: offset, into: buffer)
        guard count >= 0 else { throw BytesError(verb: .read, url: url, reason: .system(errno)) }
        return count
    }
}
