import HTTPTypes
import HummingbirdCore
import Model
import NIOCore
import NIOPosix
import Platform
import Synchronization

/// Answers requests. Any thread; work that blocks runs in separate pools.
final class Responder: Sendable {
    let keeper: FolderKeeper
    let queue: StoreQueue
    let store: any ServiceStore
    let connections: OpenConnections
    let metrics: Metrics
    /// nil if none are made.
    let stills: Stills?
    let log: ServerLog
    let token: AccessToken?
    let adminToken: AccessToken?
    /// Whether statistics are being reckoned, which keeps a database busy.
    let isReckoning = Atomic(false)
    let mediaBase: MediaBase?
    let hosts: ServedHosts
    let isSecure: Bool
    /// For what waits on files that are sent, and for what else waits on the disk.
    let files = NIOThreadPool(numberOfThreads: 8)
    let pages = NIOThreadPool(numberOfThreads: 4)
    let deletions = SerialTasks()

    init(
        keeper: FolderKeeper, store: any ServiceStore, stills: Stills?, connections: OpenConnections, metrics: Metrics,
        log: ServerLog, token: String?, adminToken: String?, mediaBase: MediaBase?, hosts: ServedHosts,
        isSecure: Bool
    ) {
        self.keeper = keeper
        self.store = store
        self.stills = stills
        self.metrics = metrics
        self.connections = connections
        self.log = log
        self.mediaBase = mediaBase
        self.hosts = hosts
        self.isSecure = isSecure
        self.token = token.map { AccessToken($0) }
        self.adminToken = adminToken.map { AccessToken($0) }
        queue = StoreQueue(store)
        files.start()
        pages.start()
    }

    /// A request as the routes see it. A value.
    struct Call {
        var request: Request
        var query: AddressQuery
        var peer: String?
        var base: ServerAddress
        /// For addresses of files, which are shared more easily: without the admin token.
        var fileBase: ServerAddress
        /// It has shown the admin token: its viewer runs the server.
        var isOperator = false
        /// Sends 100 Continue, if the client waits for it.
        var sendContinue: @Sendable () -> Void

        var isHead: Bool { request.method == .head }

        func viewer() throws(RequestError) -> String {
            try Viewer.id(header: request.headers[Viewer.header], peer: peer)
        }

        /// The whole body. A larger one than any route takes is refused without being read to its end.
        func body() async throws -> [UInt8] {
            let tooLarge = RequestError(
                .contentTooLarge, "the body is larger than \(Fields.sizeLimit >> 10) KB", endsConnection: true)
            if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > Fields.sizeLimit {
                throw tooLarge
            }
            if request.headers[.expect] != nil { sendContinue() }
            var bytes: [UInt8] = []
            for try await buffer in request.body {
                guard bytes.count + buffer.readableBytes <= Fields.sizeLimit else { throw tooLarge }
                bytes.append(contentsOf: buffer.readableBytesView)
            }
            return bytes
        }
    }

    /// Answers one request of a connection. Throws if the connection is unusable.
    func respond(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        let start = OpenConnections.now
        let peer = channel.remoteAddress?.ipAddress
        var route = "none"
        var answer: Answer
        do {
            answer = try await self.answer(request, on: channel, peer: peer, route: &route)
        } catch let error as RequestError {
            answer = Answer(error)
        } catch let error as ServiceError {
            log.warn("the database failed: \(error)")
            answer = Answer(
                RequestError(.serviceUnavailable, "the database failed; try again later", headers: [.retryAfter: "5"]))
        }
        // Anything else is the connection's: it has ended, or what came was no HTTP.
        answer.headers[.date] = HTTPDate.text(seconds: Int64(WallClock.now))
        answer.headers[.xContentTypeOptions] = "nosniff"
        let isHead = request.method == .head
        var sent = 0
        defer {
            let seconds = (OpenConnections.now - start) / .seconds(1)
            metrics.note(route: route, status: answer.status.code, seconds: seconds, bytes: sent)
            log.request(
                peer: peer ?? "-", method: request.head.method.rawValue, path: request.head.path ?? "",
                status: answer.status.code, bytes: sent, seconds: seconds, agent: request.headers[.userAgent])
        }
        switch answer.body {
        case .none:
            if answer.status.mayHaveBody, answer.headers[.contentLength] == nil { answer.headers[.contentLength] = "0" }
            try await writer.writeResponse(answer.head)
        case .bytes(let bytes):
            answer.headers[.contentLength] = String(bytes.count)
            if isHead {
                try await writer.writeResponse(answer.head)
            } else {
                try await writer.write(response: answer.head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
                sent = bytes.count
            }
        case .file(let file, let range):
            answer.headers[.contentLength] = String(range.count)
            if isHead {
                try await writer.writeResponse(answer.head)
            } else {
                let body = try await writer.writeHead(answer.head)
                do {
                    try await send(file, range, on: channel)
                } catch {
                    // The length was promised: only closing the connection shows that the body is cut short.
                    channel.close(promise: nil)
                    throw error
                }
                sent = range.count
                try await body.finish(nil)
            }
        }
    }

    private func send(_ file: ServedFile, _ range: Range<Int64>, on channel: any Channel) async throws {
        let (pool, isSecure) = (files, isSecure)
        try await channel.eventLoop.flatSubmit {
            let promise = channel.eventLoop.makePromise(of: Void.self)
            do {
                try channel.pipeline.syncOperations.handler(type: ServedParts.self)
                    .send(file, range, isSecure: isSecure, pool: pool, promise)
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }.get()
    }

    /// Completes the pending writes, and ends the pools.
    ///
    /// - Parameter wait: blocks until the other background work has ended.
    func end(_ wait: @escaping @Sendable () -> Void) async {
        stills?.end()
        await queue.end(upTo: .seconds(5))
        do {
            try await files.runIfActive { [stills] in
                stills?.drain(upTo: .seconds(1))
                wait()
            }
        } catch {
            assertionFailure("the pool ends below: \(error)")
        }
        for pool in [files, pages] { await pool.end() }
    }

    // MARK: Routes

    private func answer(
        _ request: Request, on channel: any Channel, peer: String?, route name: inout String
    ) async throws -> Answer {
        let host = try asked(request, at: channel.localAddress)
        let address = request.head.path ?? ""
        let parts = address.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let (route, found) = try Route.find(request.head.method.rawValue, parts[0])
        name = found
        let query = try AddressQuery(parts.count > 1 ? parts[1] : nil)
        if route == .health { return .text(JSONLine(fields: [("status", .text("ok"))])) }
        func shown(_ token: AccessToken?) -> AccessToken.Place? {
            token?.place(authorization: request.headers[.authorization], query: query["token"])
        }
        if route == .statistics || route == .reports {
            guard let adminToken else { throw AccessToken.noAdmin }
            guard shown(adminToken) != nil else { throw AccessToken.adminRequired }
            return route == .statistics ? try await statistics(query) : try await reports(query)
        }
        // The operator's token opens all that a viewer's does.
        let operatorPlace = shown(adminToken)
        let viewerPlace = shown(token)
        let place = viewerPlace ?? operatorPlace
        if token != nil, place == nil { throw AccessToken.required }
        let base = try ServerAddress(
            host: host, isSecure: isSecure, token: place == .address ? query["token"] : nil)
        var fileBase = base
        if viewerPlace == nil, operatorPlace == .address {
            fileBase = try ServerAddress(host: host, isSecure: isSecure, token: token?.text)
        }
        try meet(request.headers[.expect])
        let call = Call(
            request: request, query: query, peer: peer, base: base, fileBase: fileBase,
            isOperator: operatorPlace != nil
        ) { [self] in sendContinue(on: channel) }
        switch route {
        case .feed: return try await feed(call)
        case .root: return Self.elsewhere(call.base.url("/feed.json"))
        case .feedXML: return try await feedXML(call)
        case .media(let id): return try await media(id, call)
        case .part(let id, let rest): return try await part(id, rest, call)
        case .still(let id): return try await still(id, call)
        case .subtitles(let id, let suffix): return try await subtitles(id, suffix, call)
        case .trackView: return try await track(.view, call)
        case .trackEngagement: return try await track(.engagement, call)
        case .share(let id): return try await share(id, call)
        case .listComments(let id): return try await comments(of: id, call)
        case .addComment(let id): return try await addComment(to: id, call)
        case .keepComment(let id, let comment, let isThere):
            return try await change(comment, of: id, .delete(!isThere), call)
        case .likeComment(let id, let comment, let isOn): return try await change(comment, of: id, .like(isOn), call)
        case .reportComment(let id, let comment): return try await report(comment, of: id, call)
        case .keepItem(let id, let isThere): return try await keep(id, isThere: isThere, call)
        case .react(let reaction, let id, let isOn): return try await react(reaction, id, isOn: isOn, call)
        case .follow(let id, let isOn): return try await follow(id, isOn: isOn, call)
        case .openAPI: return .text(OpenAPI.document)
        case .metrics: return try await metricsText()
        // Answered above, as they do not need this token.
        case .health, .statistics, .reports: return Answer()
        }
    }

    /// The request's name for this server: its Host. Throws if that is not one of this server's
    /// names, or if the request comes from a page of another site, which must neither read nor
    /// react in the name of the viewer whose browser has it open.
    private func asked(_ request: Request, at local: SocketAddress?) throws(RequestError) -> String {
        // HTTP/1.1 requires one, which `HeadRules` checks. An HTTP/1.0 request without one is not from a browser.
        let text = request.head.authority ?? local.flatMap(Self.text) ?? ""
        guard let host = RequestHost(text) else { throw RequestError(.badRequest, "Host: missing or invalid") }
        var own: ServedHost? { local?.ipAddress.flatMap { ServedHost(option: $0) } }
        guard hosts.has(host.host, local: own) else {
            throw RequestError(
                .misdirectedRequest, "Host: unknown host \(text); add it with --allow-host")
        }
        if let origin = request.headers[.origin],
            !hosts.isOwn(origin: origin, of: host, local: own, isSecure: isSecure)
        {
            throw RequestError(.forbidden, "Origin: requests from other sites are refused")
        }
        return text
    }

    /// As `Host` has it.
    private static func text(of address: SocketAddress) -> String? {
        guard let host = address.ipAddress, let port = address.port else { return nil }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The one expectation that HTTP has is met when the body is read. Throws if there is another (RFC 9110, 10.1.1).
    private func meet(_ expectations: String?) throws(RequestError) {
        let all = expectations?.split(separator: ",").map { String($0).trimmed.lowercased() } ?? []
        guard all.allSatisfy({ $0 == "100-continue" }) else {
            throw RequestError(.expectationFailed, "Expect: only 100-continue is supported")
        }
    }

    private func sendContinue(on channel: any Channel) {
        channel.eventLoop.execute {
            do {
                try channel.pipeline.syncOperations.handler(type: ServedParts.self).sendContinue()
            } catch {
                // The connection has ended.
            }
        }
    }

    private func metricsText() async throws -> Answer {
        var total: Tally?
        do { total = try await queue.read { try $0.total() } } catch {
            // The other metrics do not need the database.
            log.warn("the database failed: \(error)")
        }
        let text = metrics.text(items: keeper.index.count, total: total, connections: connections)
        return .text(Array(text.utf8), type: "text/plain; version=0.0.4")
    }

    /// The item's number in an index that has it. Before the first walk has ended this waits a second for it.
    func item(_ id: String) async throws -> (index: FolderIndex, place: Int) {
        var index = keeper.index
        if index.index(ofID: id) == nil, !index.isWhole {
            index = try await pages.runIfActive { [keeper] in keeper.index(waitingUpTo: .seconds(1)) }
        }
        guard let place = index.index(ofID: id) else { throw RequestError.unknownItem }
        return (index, place)
    }
}

extension Answer {
    fileprivate var head: HTTPResponse { HTTPResponse(status: status, headerFields: headers) }
}

extension HTTPResponse.Status {
    fileprivate var mayHaveBody: Bool { code != 304 && code != 204 && code >= 200 }
}
