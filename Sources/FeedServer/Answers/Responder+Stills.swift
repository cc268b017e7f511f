import HTTPTypes
import NIOPosix

/// The pictures of items.
extension Responder {
    /// The result of a lookup without a decoder.
    private enum Found {
        case picture(ServedFile)
        case clip(ServedFile)
        case nothing
    }

    /// A client asks again after this many seconds: the address stays the same when the clip, or the file beside it,
    /// becomes another.
    static let freshness = "max-age=300"

    /// The picture beside the clip; else one that is made of it.
    func still(_ id: String, _ call: Call) async throws -> Answer {
        let (index, place) = try await item(id)
        let path = Array(index.paths.relativePath(at: place))
        let found: Found = try await files.runIfActive { [keeper, stills] in
            if let poster = Poster.find(beside: path[...], below: keeper.root) { return .picture(poster.file) }
            guard let clip = ServedFile(below: keeper.root, path: path) else { return .nothing }
            return stills?.find(id, clip).map { .picture($0) } ?? .clip(clip)
        }
        switch found {
        case .nothing: throw RequestError.unknownItem
        case .picture(let file): return Self.still(file, call)
        case .clip(let clip):
            guard let stills else { throw RequestError(.notFound, "no still for this item") }
            switch await stills.make(id, at: path, clip) {
            case .file(let file):
                // Others who asked get the same one.
                guard let own = file.duplicate() else {
                    throw RequestError(.serviceUnavailable, "too many files are open", headers: [.retryAfter: "5"])
                }
                return Self.still(own, call)
            case .bytes(let bytes):
                return Answer(
                    headers: [.contentType: "image/jpeg", .cacheControl: Self.freshness], body: .bytes(bytes))
            case .none(let why): throw RequestError(.notFound, "no still for this item: \(why)")
            case .failed(let why):
                throw RequestError(
                    .serviceUnavailable, "cannot make a still now: \(why); try again later",
                    headers: [.retryAfter: "5"])
            case .busy:
                throw RequestError(
                    .serviceUnavailable, "too many requests for stills; try again later",
                    headers: [.retryAfter: "2"])
            }
        }
    }

    private static func still(_ file: ServedFile, _ call: Call) -> Answer {
        var answer = part(of: file, type: "image/jpeg", call)
        answer.headers[.cacheControl] = freshness
        return answer
    }
}
