import Model
import TestSupport
import Testing

@testable import Desktop

@Suite struct ControlProtocolTests {
    private func command(_ line: String) -> Result<DesktopCommand, DesktopError> {
        ControlProtocol.command(of: Array(line.utf8))
    }

    @Test func requestsOfTheClientAreUnderstood() {
        for (name, wanted) in ControlProtocol.commands {
            let line = ControlProtocol.request(wanted)
            #expect(String(decoding: line, as: UTF8.self) == "{\"version\":1,\"command\":\"\(name)\"}\n")
            #expect(ControlProtocol.command(of: line.dropLast()) == .success(wanted))
        }
    }

    @Test(arguments: [
        ("", "the request is not JSON: it ends too early"),
        ("next", "the request is not JSON: this is not JSON"),
        ("{\"version\":1,\"command\":\"next\"} x", "the request is not JSON: unexpected text after the value"),
        ("[1]", "the request is not a JSON object"),
        ("{}", "unsupported version; this flick supports version 1"),
        ("{\"version\":2,\"command\":\"next\"}", "unsupported version; this flick supports version 1"),
        ("{\"version\":1}", "the request has no command"),
        ("{\"version\":1,\"command\":7}", "the request has no command"),
        ("{\"version\":1,\"command\":\"\\u001b[2J\"}", "unknown command '\u{FFFD}'"),
    ])
    func refusedRequestsSayWhy(_ line: String, _ why: String) {
        #expect(command(line) == .failure(DesktopError(why)))
    }

    private var playing: NowPlaying {
        var playing = NowPlaying()
        (playing.track, playing.title, playing.creator) = (3, "Otters \"at\" play", "Ilma")
        (playing.url, playing.place) = ("https://example.org/1", "Home")
        (playing.position, playing.duration, playing.isPaused) = (.milliseconds(65_500), .seconds(90), false)
        (playing.page, playing.pages, playing.volume, playing.isLiked) = (2, 10, 0.55, true)
        return playing
    }

    @Test func answersAreRead() throws {
        let line = ControlProtocol.answer(.success(playing))
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"version":1,"ok":true,"title":"Otters \"at\" play","creator":"Ilma","#
                + #""url":"https://example.org/1","place":"Home","page":2,"pages":10,"position":65.5,"#
                + #""duration":90,"paused":false,"liked":true,"volume":55,"muted":false}"# + "\n")
        let answer = try ControlAnswer(line)
        #expect(
            answer.lines == [
                "Playing: Otters \"at\" play · Ilma", "1:05 / 1:30 · Home · volume 55 % · liked",
                "https://example.org/1",
            ])
        #expect(answer.line + "\n" == String(decoding: line, as: UTF8.self))
        #expect(try ControlAnswer(ControlProtocol.answer(.success(NowPlaying()))).lines == ["No clip"])
    }

    @Test func refusalsAndGarbageAreErrors() {
        #expect(throws: DesktopError("no such thing")) {
            try ControlAnswer(ControlProtocol.answer(.failure(DesktopError("no such thing"))))
        }
        for garbage in ["", "{", "{}", "[]", "{\"ok\":1}", "\u{1B}]0;x\u{07}"] {
            #expect(throws: DesktopError.self) { try ControlAnswer(Array(garbage.utf8)) }
        }
    }

    @Test func clientsCannotBeCommandedByAnAnswer() throws {
        let answer = try ControlAnswer(Array("{\"ok\":true,\"title\":\"a\\u001b[2Jb\",\"volume\":1e30}".utf8))
        #expect(answer.lines.first == "Paused: a\u{FFFD}b")
    }

    // MARK: Connections

    private func connection(_ now: ContinuousClock.Instant) -> ControlConnection {
        ControlConnection(1, .init(-1), now: now)
    }

    @Test func requestMayComeInPieces() {
        let now = ContinuousClock.now
        var client = connection(now)
        for byte in "{\"version\":1,\"command\":\"next\"}".utf8 {
            let result = client.take([byte], now: now)
            #expect(result == nil)
        }
        let result = client.take(Array("\nmore".utf8), now: now)
        #expect(result == .success(.next) && client.step == .waits)
    }

    @Test func longRequestIsRefused() {
        let now = ContinuousClock.now
        var client = connection(now)
        let blank = [UInt8](repeating: UInt8(ascii: " "), count: ControlProtocol.requestLimit)
        let result = client.take(blank, now: now)
        #expect(result == nil)
        guard case .failure(let error)? = client.take([UInt8(ascii: " ")], now: now) else {
            Issue.record("it is accepted")
            return
        }
        #expect(error.description == "the request is longer than 1024 bytes")
    }

    @Test func silentClientsMakeRoomForNewOnes() {
        let start = ContinuousClock.now
        var clients = ControlClients()
        for _ in 0..<ControlClients.limit { clients.add(.init(-1), now: start) }
        #expect(!clients.accepts(now: start))
        let later = start + ControlConnection.idle
        #expect(clients.nextDeadline(after: start) == later && clients.accepts(now: later))
        #expect(clients.nextDeadline(after: later) == start + ControlConnection.patience)
        clients.add(.init(-1), now: later)
        let replaced = clients.takeDone(now: later)
        #expect(replaced.map(\.number) == [1] && clients.all.count == ControlClients.limit)
        let late = clients.takeDone(now: start + ControlConnection.patience)
        #expect(late.count == ControlClients.limit - 1)
    }

    @Test func noDescriptorsLeftPausesAccepting() {
        let start = ContinuousClock.now
        var clients = ControlClients()
        clients.pause(now: start)
        let end = start + ControlClients.pause
        #expect(!clients.accepts(now: start) && clients.nextDeadline(after: start) == end)
        #expect(clients.accepts(now: end) && clients.nextDeadline(after: end) == nil)
    }

    @Test func positionJumpsWhereTimeDoesNotExplainIt() {
        var old = playing
        (old.isMoving, old.speed) = (true, 2)
        var new = old
        new.position = old.position + .seconds(4)
        #expect(!new.hasJumped(since: old, elapsed: .seconds(2)))
        #expect(new.hasJumped(since: old, elapsed: .seconds(4)))
        old.isMoving = false
        #expect(new.hasJumped(since: old, elapsed: .seconds(2)))
    }
}
