import Bytes
import Wire

/// Answers a decoder's `openURL`, `read` and `closeURL` from the byte door. Lives on the reader's thread; blocks as the door does.
struct ReadServer {
    private let door: any ByteDoor
    private var sources: [UInt32: any ByteSource] = [:]

    /// More than any playlist needs.
    private static let limit = 64

    init(door: any ByteDoor) { self.door = door }

    /// The answer to a message, nil if it wants none. `asset` is the item's URL. Throws if no honest decoder sends such a message.
    mutating func answer(_ message: FromDecoder, asset: String) throws(WireError) -> ToDecoder? {
        switch message {
        case .openURL(let id, let want):
            guard sources[id] == nil, sources.count < ReadServer.limit else { throw .invalid("source number") }
            return open(want.url, as: id, asset: asset)
        case .read(let id, let offset, let count):
            guard let source = sources[id] else { throw .invalid("source number") }
            return read(source, id: id, offset: offset, count: Int(count))
        case .closeURL(let id):
            sources[id] = nil
            return nil
        default:
            return nil
        }
    }

    private mutating func open(_ url: String, as id: UInt32, asset: String) -> ToDecoder {
        do throws(BytesError) {
            let source = try door.open(url, for: asset)
            sources[id] = source
            return .source(
                id: id, url: source.url, length: source.length ?? -1, seekable: source.isSeekable, error: "")
        } catch {
            return .source(id: id, url: url, length: -1, seekable: false, error: error.description)
        }
    }

    private func read(_ source: any ByteSource, id: UInt32, offset: Int64, count: Int) -> ToDecoder {
        var failure: BytesError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(BytesError) {
                filled = count == 0 ? 0 : try source.read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
                filled = 0
            }
        }
        return .data(id: id, offset: offset, bytes: bytes, error: failure?.description ?? "")
    }
}
