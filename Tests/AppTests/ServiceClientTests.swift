import Bytes
import Engagement
import Feeds
import HTTP
import Model
import Synchronization
import TestSupport
import Testing

@testable import App

/// A malicious service. Each call blocks a separate thread.
@Suite(.timeLimit(.minutes(1))) struct ServiceClientTests {
    private let server: FaultyServer
    private let other: FaultyServer
    private let folder = TemporaryFolder()

    init() throws { (server, other) = (try FaultyServer(), try FaultyServer()) }

    private func read(_ path: String, patience: Duration = .seconds(60)) async -> Result<[UInt8], AppError> {
        let (url, feed) = (server.url(path), server.url("/feed.json"))
        return await onThread {
            let sending = ServiceClient(NetworkOptions(), patience: patience)
            defer { sending.close() }
            do throws(AppError) { return .success(try sending.read(url, feed: feed, viewer: "me")) } catch {
                return .failure(error)
            }
        }
    }

    /// Why a read failed, which is one line that a page can show.
    private func failure(_ path: String, patience: Duration = .seconds(60)) async throws -> String {
        guard case .failure(let error) = await read(path, patience: patience) else { return "it did not fail" }
        let line = "\(error)"
        #expect(line.count < 300 && CleanText.line(line, limit: 300) == line, "\(line)")
        return line
    }

    @Test func redirectToAnotherServerDropsTheViewerHeader() async throws {
        server.serve("/here", [], faults: [.redirect(to: "/there")])
        server.serve("/there", [], faults: [.redirect(to: other.url("/elsewhere"))])
        other.serve("/elsewhere", Array("{}".utf8))
        _ = await read("/here")
        #expect(server.requests.map { $0.headers["flick-viewer"] } == ["me", "me"])
        #expect(other.requests.count == 1 && other.requests.first?.headers["flick-viewer"] == nil)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "data:,x"])
    func aRedirectionLeadsToHTTPOnly(place: String) async throws {
        server.serve("/here", [], faults: [.redirect(to: place)])
        #expect(try await failure("/here").contains("only link to http"))
    }

    @Test func noMoreIsReadThanFlickUnderstands() async throws {
        server.serve("/endless", Resource(.pattern(length: 100 << 20, seed: 1), type: "application/json"))
        guard case .success(let body) = await read("/endless") else {
            Issue.record("the start is not read")
            return
        }
        #expect(body.count < 2 << 20 && ServiceAnswer.comments(body) == nil)
        #expect(await onThread { server.waitUntil { $0.openConnections == 0 } })
        #expect(server.counts.bodyBytes < 16 << 20)
    }

    @Test func aTextThatIsSmallUntilItIsUnpackedIsRefused() async throws {
        server.serve("/bomb", Resource(.pattern(length: 8 << 20, seed: 1), faults: [.gzipBomb]))
        #expect(try await failure("/bomb").contains("compression"))
    }

    /// Bytes keep arriving, so the transfer does not stall.
    @Test func tricklingResponseTimesOut() async throws {
        server.link.rate = 20_000
        server.serve("/slow", Resource(.pattern(length: 1 << 20, seed: 1), type: "application/json"))
        let why = try await failure("/slow", patience: .milliseconds(200))
        #expect(why.contains("download incomplete after"), "\(why)")
    }

    /// The service names the next page, which must not be on another server.
    @Test func nextPageOfCommentsMustBeOnTheService() async throws {
        other.serve("/service", Array("{\"comments\":[]}".utf8))
        let places = [other.url("/service"), "file:///etc/passwd", "", "https://127.0.0.1:\(server.port)/service"]
        let (endpoint, feed) = (server.url("/service"), server.url("/feed.json"))
        let failures = try await onThread {
            let inbox = try Inbox<LoopMessage>()
            let journal = try Journal(ReportSettings(), file: LogFile(path: "/dev/null"), clock: ProcessClock())
            let comments = CommentSession(provider: FileProvider(), inbox: inbox, journal: journal)
            let services = Services(NetworkOptions(), inbox: inbox, journal: journal, comments: comments)
            defer { services.close() }
            for place in places { services.loadComments(of: "a", at: endpoint, feed: feed, after: place) }
            var failures: [String] = []
            _ = holds(within: .seconds(20)) {
                for case .event(.commentsUnavailable(_, let why)) in inbox.drain() { failures.append(why) }
                return failures.count == places.count
            }
            return failures
        }
        #expect(failures == places.map { _ in "the server moved comments elsewhere" })
        #expect(other.requests.isEmpty && server.requests.isEmpty)
    }

    @Test func readThatIsRefusedHasTheWordsOfTheService() async throws {
        var gone = Resource(.bytes(Array(#"{"error":"no such clip"}"#.utf8)), type: "application/json")
        gone.status = 404
        server.serve("/gone", gone)
        server.serve("/page", Resource.text(#"{"comments":[]}"#, type: "text/html"))
        #expect(try await failure("/gone") == "no such clip")
        #expect(try await failure("/page") == "unexpected response from the server")
    }

    @Test func readWithoutAViewerNamesNone() async throws {
        server.serve("/here", Resource.text("{}", type: "application/json"))
        let (url, feed) = (server.url("/here"), server.url("/feed.json"))
        let bodies = try await onThread {
            let sending = ServiceClient(NetworkOptions())
            defer { sending.close() }
            return try [nil, "me"].map { try sending.read(url, feed: feed, viewer: $0) }
        }
        #expect(bodies == [Array("{}".utf8), Array("{}".utf8)])
        #expect(server.requests.map { $0.headers["flick-viewer"] } == [nil, "me"])
    }

    /// The query of an endpoint may hold a token.
    @Test(
        arguments: [
            ("https://h/s", nil, "https://h/s/videos/a"), ("https://h/s/", nil, "https://h/s/videos/a"),
            ("https://h/s?", nil, "https://h/s/videos/a"), ("https://h/s?t=x", nil, "https://h/s/videos/a?t=x"),
            ("https://h/s", "limit=2", "https://h/s/videos/a?limit=2"),
            ("https://h/s?t=x", "limit=2", "https://h/s/videos/a?t=x&limit=2"),
        ] as [(String, String?, String)])
    func pathBelowAnEndpointKeepsItsQuery(endpoint: String, query: String?, url: String) {
        #expect(ServiceClient.url(endpoint, "videos/a", query: query) == url)
    }

    // MARK: Statistics

    private func statistics(since: Double? = nil) async throws -> Statistics {
        let feed = server.url("/feeds/feed.json?topic=rain")
        return try await onThread {
            let sending = ServiceClient(NetworkOptions())
            defer { sending.close() }
            return try sending.statistics(of: feed, adminToken: "secret", since: since, limit: 7)
        }
    }

    @Test func statisticsAreThoseOfTheServerOfTheFeed() async throws {
        server.serve(
            "/feeds/stats.json",
            .text(#"{"watch_time":90,"visits":3,"completion":0.5,"clips":2}"#, type: "application/json"))
        for since in [nil, 1_767_225_600] as [Double?] {
            let statistics = try await statistics(since: since)
            #expect(statistics.all == Statistics.Group(name: "", watched: 90, visits: 3, completion: 0.5))
            #expect(statistics.clips == 2)
        }
        #expect(server.requests.map(\.query) == ["limit=7", "limit=7&since=2026-01-01T00:00:00Z"])
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer secret" })
        #expect(server.requests.allSatisfy { $0.headers["flick-viewer"] == nil })
    }

    @Test(arguments: [
        (401, "application/json", "{}", "the server rejected this token; use its --admin-token"),
        (403, "application/json", #"{"error":"statistics are off"}"#, "statistics are off"),
        (200, "application/json", "{}", "the server sent no statistics"),
        (200, "text/html", #"{"watch_time":90,"visits":3,"completion":0.5}"#, "the server sent no statistics"),
    ])
    func statisticsThatCannotBeReadSayWhy(status: Int, type: String, body: String, why: String) async throws {
        var resource = Resource.text(body, type: type)
        resource.status = status
        server.serve("/feeds/stats.json", resource)
        let error = await #expect(throws: AppError.self) { try await statistics() }
        let line = error?.message ?? ""
        #expect(line.hasPrefix("cannot read the statistics of http://127.0.0.1:") && line.hasSuffix(": \(why)"))
    }

    // MARK: Messages

    /// What became of a like.
    private func send() async throws -> SendOutcome? {
        let path = folder.path + "/flick.db"
        let endpoint = server.url("/service")
        let item = LibraryItem(
            key: ItemKey(scope: "", id: "a"), url: server.url("/a.mp4"), json: "{}", feed: server.url("/feed.json"),
            source: server.url("/feed.json"), endpoint: endpoint)
        return await onThread {
            let outcome = Mutex<SendOutcome?>(nil)
            let sending = ServiceClient(NetworkOptions())
            let sender = MessageSender(now: { 0 }) {
                sending.send($0)
            } settled: { _, became, _ in
                outcome.withLock { $0 = became }
            }
            let recorder = LibraryWriter(path: path, sender: sender) { _ in }
            recorder.note([.shared(item, at: 0)])
            recorder.close(within: .seconds(20))
            sender.drain(within: .seconds(20))
            sending.close()
            sender.close(within: .seconds(20))
            return outcome.withLock(\.self)
        }
    }

    @Test func aMessageIsNotLedToAnotherServer() async throws {
        var share = Resource(.bytes([]), faults: [.redirect(to: other.url("/elsewhere"), status: 307)])
        share.methods = ["POST"]
        server.serve("/service/videos/a/share", share)
        guard case .unconfirmed(let why, _)? = try await send() else {
            Issue.record("it is not retried later")
            return
        }
        #expect(!why.isEmpty && other.requests.isEmpty && server.requests.count == 1)
    }

    @Test func retryAfterIsReported() async throws {
        var share = Resource(.bytes([]), faults: [.status(503, retryAfter: "31536000")])
        share.methods = ["POST"]
        server.serve("/service/videos/a/share", share)
        guard case .unreachable(let pause)? = try await send() else {
            Issue.record("it is not tried again")
            return
        }
        #expect(pause == .seconds(31_536_000))
    }

    /// A server that asks for a pause has not refused for good, whatever its status.
    @Test(arguments: [nil, "60"]) func refusalThatNamesAPauseIsNotFinal(retryAfter: String?) async throws {
        let body = Array(#"{"error":"slow down"}"#.utf8)
        let faults = retryAfter.map { [Fault.header("Retry-After", $0)] } ?? []
        var share = Resource(.bytes(body), type: "application/json", faults: faults)
        share.status = 403
        share.methods = ["POST"]
        server.serve("/service/videos/a/share", share)
        switch try await send() {
        case .refused(let why)?: #expect(retryAfter == nil && why == "slow down")
        case .unconfirmed(let why, let pause)?: #expect(why == "slow down" && pause == .seconds(60))
        case let outcome: Issue.record("\(String(describing: outcome))")
        }
    }

    /// An outcome in a few words, with its pause.
    private func words(_ outcome: SendOutcome?) -> String {
        func pause(_ time: Duration?) -> String { time.map { ", \(Int($0.seconds)) s" } ?? "" }
        return switch outcome {
        case .accepted(let body)?: "accepted \(String(decoding: body, as: UTF8.self))"
        case .refused(let why)?: "refused: \(why)"
        case .unconfirmed(let why, let time)?: "unconfirmed: \(why)" + pause(time)
        case .unreachable(let time)?: "unreachable" + pause(time)
        case .failed(let time)?: "failed" + pause(time)
        case nil: "not sent"
        }
    }

    /// Who is to wait: the service, this message, or both.
    @Test(arguments: [
        (200, #"{"status":"kept"}"#, #"accepted {"status":"kept"}"#),
        (201, #"{"status":"kept"}"#, "unconfirmed: unexpected response, 60 s"),
        (401, #"{"error":"wrong token"}"#, "unconfirmed: wrong token, 60 s"), (408, "{}", "unreachable, 60 s"),
        (429, "{}", "unreachable, 60 s"), (500, "{}", "failed, 60 s"), (501, "{}", "failed, 60 s"),
        (502, "{}", "unreachable, 60 s"), (503, "{}", "unreachable, 60 s"), (504, "{}", "unreachable, 60 s"),
        (505, "{}", "failed, 60 s"), (510, "{}", "failed, 60 s"),
        (511, #"{"error":"log in"}"#, "unconfirmed: log in, 60 s"), (512, "{}", "failed, 60 s"),
    ])
    func statusDecidesWhatWaits(status: Int, body: String, outcome: String) async throws {
        var share = Resource(
            .bytes(Array(body.utf8)), type: "application/json", faults: [.header("Retry-After", "60")])
        share.status = status
        share.methods = ["POST"]
        server.serve("/service/videos/a/share", share)
        let became = try await send()
        #expect(words(became) == outcome)
    }

    @Test func messageIsJSONFromItsViewer() async throws {
        var share = Resource(.bytes(Array("{}".utf8)), type: "application/json")
        share.methods = ["POST"]
        server.serve("/service/videos/a/share", share)
        let became = try await send()
        #expect(words(became) == "accepted {}")
        let request = try #require(server.requests.first)
        #expect(request.method == "POST" && request.headers["content-type"]?.hasPrefix("application/json") == true)
        #expect(request.headers["flick-viewer"]?.isEmpty == false)
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(body.hasPrefix(#"{"event_id":""#) && body.hasSuffix(#"","at":"1970-01-01T00:00:00Z"}"#))
    }

    /// The notice names what the user did; it never names views, which the user did not ask for.
    @Test(arguments: [false, true]) func unsentMessageIsNamed(isView: Bool) async throws {
        var answer = Resource(.bytes(Array("not here".utf8)), type: "text/plain", faults: [])
        answer.status = 404
        answer.methods = ["POST"]
        for path in ["track_view", "a/share"] { server.serve("/service/videos/\(path)", answer) }
        let item = LibraryItem(
            key: ItemKey(scope: "", id: "a"), url: server.url("/a.mp4"), json: "{}", feed: server.url("/feed.json"),
            source: server.url("/feed.json"), endpoint: server.url("/service"))
        let view = LoggedEvent(id: "V", session: "s", at: 1, what: "view")
        let change = isView ? Change.event(item, view, .view(watched: .seconds(2))) : .shared(item, at: 1)
        let path = folder.path + "/flick.db"
        let notices = try await onThread {
            let inbox = try Inbox<LoopMessage>()
            let journal = try Journal(ReportSettings(), file: LogFile(path: "/dev/null"), clock: ProcessClock())
            let comments = CommentSession(provider: FileProvider(), inbox: inbox, journal: journal)
            let services = Services(NetworkOptions(), inbox: inbox, journal: journal, comments: comments)
            let recorder = LibraryWriter(path: path, sender: services.sender) { _ in }
            recorder.note([change])
            recorder.close(within: .seconds(20))
            services.sender.drain(within: .seconds(20))
            services.close()
            var notices: [String] = []
            for case .event(.notice(let text, _)) in inbox.drain() { notices.append(text) }
            return notices
        }
        #expect(server.requests.count == 1)
        #expect(notices.map { $0.hasPrefix("share not sent yet; flick will retry: ") } == (isView ? [] : [true]))
    }

    // MARK: A server of the previous version

    /// The answer of the server of commit 2afa737f to every request that it does not know.
    private static let unknown = #"{"error":"not found; see /openapi.json"}"#

    /// It refuses what this version asks for in addition: each is sent once, and the page takes it back.
    @Test func previousServerRefusesNewMessagesOnce() async throws {
        var answer = Resource(.bytes(Array(Self.unknown.utf8)), type: "application/json", faults: [])
        answer.status = 404
        answer.methods = ["PUT", "DELETE", "POST"]
        for path in ["a/comments/7", "a/comments/7/like", "a/comments/7/report", "a"] {
            server.serve("/service/videos/\(path)", answer)
        }
        let item = LibraryItem(
            key: ItemKey(scope: "", id: "a"), url: server.url("/a.mp4"), json: "{}", feed: server.url("/feed.json"),
            source: server.url("/feed.json"), endpoint: server.url("/service"))
        let acts: [CommentAct] = [.like(true), .report(reason: "x"), .delete(true)]
        let path = folder.path + "/flick.db"
        let undone = try await onThread {
            let store = try Store(path: path)
            try store.apply(acts.map { Change.changedComment(item, comment: "7", $0, at: 0) })
            try store.apply([.deletedItem(item, true, at: 0)])
            let sending = ServiceClient(NetworkOptions())
            defer { sending.close() }
            var undone: [Rollback?] = []
            while let message = try store.nextMessage(now: 1).message {
                undone.append(try store.settle(message, sending.send(message), now: 1, jitter: 0))
            }
            #expect(try store.nextMessage(now: 1).next == nil, "they wait to be sent again")
            return undone
        }
        #expect(
            undone == [
                .comment("7", .like(true)), .comment("7", .report(reason: "")), .comment("7", .delete(true)),
                .deletion(true),
            ])
        #expect(server.requests.count == 4)
    }
}
