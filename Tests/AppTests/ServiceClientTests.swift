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
