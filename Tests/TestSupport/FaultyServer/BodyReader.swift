import Foundation

/// The bytes of a resource, opened for one response. Used by one thread.
final class BodyReader {
    private enum Kind {
        case bytes([UInt8])
        case file(Int32)
        case pattern(seed: UInt64)
        case gzip(StoredGzip)
    }

    private let kind: Kind
    let length: Int64

    init(_ bytes: [UInt8]) {
        kind = .bytes(bytes)
        length = Int64(bytes.count)
    }

    init(_ gzip: StoredGzip) {
        kind = .gzip(gzip)
        length = gzip.length
    }

    /// nil if it cannot be read.
    init?(_ body: Resource.Body, for request: FaultyServer.Request) {
        switch body {
        case .bytes(let bytes):
            kind = .bytes(bytes)
            length = Int64(bytes.count)
        case .dynamic(let make):
            let bytes = make(request)
            kind = .bytes(bytes)
            length = Int64(bytes.count)
        case .pattern(let length, let seed):
            kind = .pattern(seed: seed)
            self.length = length
        case .file(let path):
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            let end = descriptor < 0 ? -1 : lseek(descriptor, 0, SEEK_END)
            guard end >= 0 else {
                if descriptor >= 0 { close(descriptor) }
                return nil
            }
            kind = .file(descriptor)
            length = Int64(end)
        }
    }

    deinit {
        if case .file(let descriptor) = kind { close(descriptor) }
    }

    /// `count` bytes from `offset` on, which must lie within the body; fewer only if a file has become shorter.
    func read(at offset: Int64, count: Int) -> [UInt8] {
        switch kind {
        case .bytes(let bytes): Array(bytes[Int(offset)..<Int(offset) + count])
        case .pattern(let seed): PatternBytes.bytes(seed: seed, at: offset, count: count)
        case .gzip(let gzip): gzip.read(at: offset, count: count)
        case .file(let descriptor):
            [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                while initialized < count {
                    let got = pread(
                        descriptor, buffer.baseAddress! + initialized, count - initialized,
                        off_t(offset) + off_t(initialized))
                    if got <= 0 { return }
                    initialized += got
                }
            }
        }
    }
}
