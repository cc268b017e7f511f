import Bytes
import Model
import Platform
import Synchronization
import Threads

/// Reads the files beside clips when their items are made, and keeps what the last ones said: every new list of the
/// feed makes those near the page again. Any thread; blocks on the disk.
final class SidecarReader: Sendable {
    /// The number of clips whose sidecars stay in memory: several times as many as are near a page.
    static let limit = 256

    private let kept = Mutex(Recent<UInt32, [Sidecar]>(limit: SidecarReader.limit))

    /// The contents of a clip's sidecars, the most important one last. Unusable files are ignored.
    ///
    /// - Parameters:
    ///   - number: the clip's in its list.
    ///   - clip: its absolute path.
    func sidecars(_ number: UInt32, beside clip: [UInt8], url: String, _ names: [SidecarName]) -> [Sidecar] {
        guard !names.isEmpty else { return [] }
        if let known = kept.withLock({ $0[number] }) { return known }
        let read = names.compactMap { Self.read($0, beside: clip, url: url) }
        kept.withLock { kept in
            kept[number] = read
            // Now and then, as it sorts them.
            if kept.count >= Self.limit + Self.limit / 4 { kept.trim() }
        }
        return read
    }

    /// nil: the clip is what is known without it.
    private static func read(_ name: SidecarName, beside clip: [UInt8], url: String) -> Sidecar? {
        // `try?`: what is wrong with it is reported by `Sidecar.remarks`.
        try? opened(name, beside: clip, url: url)?.get()
    }

    /// The content of a file, or why it cannot be used; nil if there is no such file.
    fileprivate static func opened(
        _ name: SidecarName, beside clip: [UInt8], url: String
    ) -> Result<Sidecar, Sidecar.ReadError>? {
        guard let kind = name.kind else { return nil }
        let bytes: [UInt8]
        do throws(BytesError) {
            bytes = try beginning(of: FileURL.url(path: name.path(of: clip)), upTo: kind.sizeLimit + 1)
        } catch {
            return error.reason == .system(ENOENT) ? nil : .failure(Sidecar.ReadError(why: error.why))
        }
        do throws(Sidecar.ReadError) { return .success(try Sidecar(bytes, kind: kind, beside: url)) } catch {
            return .failure(error)
        }
    }

    private static func beginning(of file: String, upTo limit: Int) throws(BytesError) -> [UInt8] {
        let source = try FileProvider().open(
            ByteRequest(url: file, asset: Asset(url: file)), cancellation: Cancellation())
        var (bytes, failure): ([UInt8], BytesError?) = ([], nil)
        while bytes.count < limit, failure == nil {
            let piece = [UInt8](unsafeUninitializedCapacity: min(limit - bytes.count, ByteStream.pieceSize)) {
                buffer, count in
                do throws(BytesError) {
                    count = try source.read(at: Int64(bytes.count), into: UnsafeMutableRawBufferPointer(buffer))
                } catch {
                    failure = error
                }
            }
            if piece.isEmpty { break }
            bytes += piece
        }
        if let failure { throw failure }
        return bytes
    }
}

extension Sidecar {
    /// One line for each part without effect in flick's own sidecar of a clip. If the
    /// clip has two, only the one in use. Blocks on the disk.
    package static func remarks(beside clip: [UInt8]) -> [String] {
        let url = FileURL.url(path: clip)
        for name in [SidecarName.full, .stem] {
            guard let result = SidecarReader.opened(name, beside: clip, url: url) else { continue }
            let file = ShownName.of(FileURL.url(path: name.path(of: clip)))
            switch result {
            case .failure(let error): return ["\(file): \(error.why)"]
            case .success(let sidecar):
                return sidecar.unknownKeys.map { "\(file): unknown key '\(CleanText.line($0, limit: 60))'" }
            }
        }
        return []
    }
}
