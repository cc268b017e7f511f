import HTTPTypes
import Model
import NIOPosix

/// Manifest, Media RSS and media.
extension Responder {
    func feed(_ call: Call) async throws -> Answer {
        let page = try await page(call, document: "feed.json")
        return .text(Array(page.manifest.utf8))
    }

    func feedXML(_ call: Call) async throws -> Answer {
        let page = try await page(call, document: "feed.xml")
        let text = MediaRSS.text(page, own: call.base.url("/feed.xml"))
        return .text(Array(text.utf8), type: "application/rss+xml; charset=utf-8")
    }

    /// While the folder is walked for the first time, the page has what was found within a second.
    private func page(_ call: Call, document: String) async throws -> FeedPage {
        let query = try FeedPage.Query(call.query)
        let (keeper, store, stills, log) = (keeper, store, stills, log)
        let addresses = ItemAddresses(server: call.base, mediaBase: mediaBase, fileServer: call.fileBase)
        let isOperator = call.isOperator
        return try await pages.runIfActive {
            let index = keeper.index(waitingUpTo: .seconds(1))
            return FeedPage(
                query, document: document, of: index, keeper: keeper, addresses: addresses, isOperator: isOperator,
                stills: stills
            ) { ids in
                do throws(ServiceError) { return try store.tallies(of: ids) } catch {
                    // Clips can be watched without their counts.
                    log.warn("the database failed: \(error)")
                    return nil
                }
            }
        }
    }

    func media(_ id: String, _ call: Call) async throws -> Answer {
        let (index, place) = try await item(id)
        let path = index.paths.relativePath(at: place)
        // A playlist has to be requested by its name, because its references are relative to that.
        if mediaBase != nil || ServedPlaylist.isOne(path) {
            return Self.elsewhere(ItemAddresses(server: call.fileBase, mediaBase: mediaBase).clip(id, at: path))
        }
        return Self.part(
            of: try await file(at: Array(path)), type: ServedMediaType.of(path: path), call)
    }

    /// A playlist, or what it names.
    func part(_ id: String, _ rest: String, _ call: Call) async throws -> Answer {
        let (index, place) = try await item(id)
        let playlist = index.paths.relativePath(at: place)
        guard ServedPlaylist.isOne(playlist), let path = ServedPlaylist.path(of: rest, beside: playlist) else {
            throw RequestError.unknownItem
        }
        if let mediaBase { return Self.elsewhere(mediaBase.url(of: path)) }
        let (file, type) = (try await file(at: path), ServedMediaType.of(path: path))
        guard let token = call.fileBase.token, ServedPlaylist.isOne(path) else {
            return Self.part(of: file, type: type, call)
        }
        let bytes = try await files.runIfActive { file.bytes(upTo: ServedPlaylist.sizeLimit) }
        guard let bytes else { throw RequestError.unknownItem }
        return .text(ServedPlaylist.withToken(token, bytes), type: type)
    }

    /// A file of subtitles beside a clip.
    ///
    /// - Parameter suffix: the rest of its name after the clip's.
    func subtitles(_ id: String, _ suffix: String, _ call: Call) async throws -> Answer {
        let (index, place) = try await item(id)
        let clip = index.paths.relativePath(at: place)
        let unknown = RequestError(.notFound, "no such subtitles for this item")
        // Only what the walk has found, whatever the address says.
        guard let caption = index.paths.chosenCaptions(at: place).first(where: { $0.suffix == suffix }) else {
            throw unknown
        }
        let path = caption.path(of: clip)
        if let mediaBase { return Self.elsewhere(mediaBase.url(of: path)) }
        let file = try await files.runIfActive { [keeper] in
            ServedCaptions.file(caption, beside: clip, below: keeper.root)
        }
        guard let file else { throw unknown }
        var answer = Self.part(of: file, type: ServedMediaType.of(path: path), call)
        answer.headers[.cacheControl] = Self.freshness
        return answer
    }

    private func file(at path: [UInt8]) async throws -> ServedFile {
        let file = try await files.runIfActive { [keeper] in ServedFile(below: keeper.root, path: path) }
        guard let file else { throw RequestError.unknownItem }
        return file
    }

    static func elsewhere(_ address: String) -> Answer {
        Answer(.temporaryRedirect, headers: [.location: address, .cacheControl: "no-cache"])
    }

    /// The part of a file that a request asks for, 304 if the client has it already, or 412 if it
    /// wants another version. In the order of RFC 9110, 13.2.2.
    static func part(of file: ServedFile, type: String, _ call: Call) -> Answer {
        let asked = call.request.headers
        if file.validators.isAnother(ifMatch: asked[.ifMatch], ifUnmodifiedSince: asked[.ifUnmodifiedSince]) {
            return Answer(RequestError(.preconditionFailed, "the file has changed"))
        }
        var headers: HTTPFields = [
            .acceptRanges: "bytes", .eTag: file.validators.tag,
            .lastModified: HTTPDate.text(seconds: file.validators.modified),
        ]
        if file.validators.isKnown(
            ifNoneMatch: asked[.ifNoneMatch], ifModifiedSince: asked[.ifModifiedSince])
        {
            return Answer(.notModified, headers: headers)
        }
        headers[.contentType] = type
        // Only GET has ranges (14.2).
        let hasRange = call.request.method == .get && file.validators.allowsRange(ifRange: asked[.ifRange])
        let range = hasRange ? asked[.range] : nil
        switch ByteRangeHeader(range, size: file.size) {
        case .whole: return Answer(headers: headers, body: .file(file, 0..<file.size))
        case .part(let part):
            headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
            return Answer(.partialContent, headers: headers, body: .file(file, part))
        case .unsatisfiable:
            return Answer(
                RequestError(
                    .rangeNotSatisfiable, "Range: the file has \(file.size) bytes",
                    headers: [.contentRange: "bytes */\(file.size)"]))
        }
    }
}

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
