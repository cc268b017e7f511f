import Model
import Testing

@testable import FeedServer

@Suite struct ByteRangeTests {
    @Test(arguments: [
        (nil, ByteRangeHeader.whole), ("bytes=0-9", .part(0..<10)), ("bytes=90-", .part(90..<100)),
        ("bytes=-10", .part(90..<100)), ("bytes=-1000", .part(0..<100)), ("bytes=5-5", .part(5..<6)),
        ("bytes=0-99999999999999999999999", .part(0..<100)), ("BYTES=1-2", .part(1..<3)),
        ("bytes= 1-2", .part(1..<3)), ("bytes=1 - 2", .whole), ("bytes=1 0-2 0", .whole), ("bytes=1 0-20", .whole),
        ("bytes=1-2,", .part(1..<3)), ("bytes=, ,1-2", .part(1..<3)), ("bytes=0-1,200-", .part(0..<2)),
        ("bytes=,", .whole),
        ("bytes=200-,300-", .unsatisfiable), ("bytes=0-1,x", .whole), ("bytes=100-", .unsatisfiable),
        ("bytes=100-200", .unsatisfiable),
        ("bytes=-0", .unsatisfiable), ("bytes=99999999999999999999-", .unsatisfiable), ("bytes=9-1", .whole),
        ("bytes=0-1,5-6", .whole), ("items=0-1", .whole), ("bytes", .whole), ("bytes=", .whole), ("bytes=-", .whole),
        ("bytes=--1", .whole), ("bytes=a-b", .whole), ("bytes=1-2-3", .whole), ("bytes=+1-2", .whole),
        ("bytes=0x1-2", .whole), ("bytes=١-٢", .whole),
    ])
    func aRangeIsReadOrLeft(text: String?, wanted: ByteRangeHeader) {
        #expect(ByteRangeHeader(text, size: 100) == wanted)
    }

    @Test func anEmptyFileHasNoRange() {
        #expect(ByteRangeHeader("bytes=0-", size: 0) == .unsatisfiable)
        #expect(ByteRangeHeader("bytes=-5", size: 0) == .unsatisfiable)
        #expect(ByteRangeHeader(nil, size: 0) == .whole)
    }
}

@Suite struct ValidatorTests {
    private let validators = Validators(node: 7, size: 100, seconds: 784_111_777, nanoseconds: 5)

    @Test func everyChangeOfTheFileIsAnotherTag() {
        let others = [
            Validators(node: 8, size: 100, seconds: 784_111_777, nanoseconds: 5),
            Validators(node: 7, size: 101, seconds: 784_111_777, nanoseconds: 5),
            Validators(node: 7, size: 100, seconds: 784_111_778, nanoseconds: 5),
            Validators(node: 7, size: 100, seconds: 784_111_777, nanoseconds: 6),
            Validators(node: 7, size: 100, seconds: 784_111_777, nanoseconds: 5, changed: (784_111_777, 5)),
            Validators(node: 7, size: 100, seconds: 784_111_777, nanoseconds: 5, changed: (784_111_777, 6)),
            Validators(node: 7, size: 100, seconds: 784_111_777, nanoseconds: 5, changed: (784_111_778, 5)),
        ]
        for other in others { #expect(other.tag != validators.tag) }
        #expect(validators.tag.hasPrefix("\"") && validators.tag.hasSuffix("\""))
    }

    @Test func aClientMayHaveItAlready() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(validators.isKnown(ifNoneMatch: validators.tag, ifModifiedSince: nil))
        #expect(validators.isKnown(ifNoneMatch: "\"x\", W/\(validators.tag)", ifModifiedSince: nil))
        #expect(validators.isKnown(ifNoneMatch: "*", ifModifiedSince: nil))
        #expect(!validators.isKnown(ifNoneMatch: "\"x\"", ifModifiedSince: date), "the tag goes before the date")
        #expect(validators.isKnown(ifNoneMatch: nil, ifModifiedSince: date))
        #expect(validators.isKnown(ifNoneMatch: nil, ifModifiedSince: "Sun, 06 Nov 1994 08:49:38 GMT"))
        #expect(!validators.isKnown(ifNoneMatch: nil, ifModifiedSince: "Sun, 06 Nov 1994 08:49:36 GMT"))
        #expect(!validators.isKnown(ifNoneMatch: nil, ifModifiedSince: "yesterday"))
        #expect(!validators.isKnown(ifNoneMatch: nil, ifModifiedSince: nil))
    }

    @Test func aRangeOfAnotherVersionDoesNotCount() {
        #expect(validators.allowsRange(ifRange: nil))
        #expect(validators.allowsRange(ifRange: validators.tag))
        #expect(!validators.allowsRange(ifRange: "W/" + validators.tag))
        #expect(!validators.allowsRange(ifRange: "\"x\""))
        #expect(validators.allowsRange(ifRange: "Sun, 06 Nov 1994 08:49:37 GMT"))
        #expect(!validators.allowsRange(ifRange: "Sun, 06 Nov 1994 08:49:38 GMT"))
    }

    @Test func backdatedFileHasAWeakDate() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        func validators(changed seconds: Int64) -> Validators {
            Validators(node: 7, size: 100, seconds: 784_111_777, nanoseconds: 5, changed: (seconds, 0))
        }
        #expect(validators(changed: 784_111_777).allowsRange(ifRange: date))
        #expect(!validators(changed: 784_111_778).allowsRange(ifRange: date))
    }

    @Test func ifMatchAndIfUnmodifiedSinceAreEvaluated() {
        let (date, before) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:36 GMT")
        #expect(!validators.isAnother(ifMatch: nil, ifUnmodifiedSince: nil))
        #expect(!validators.isAnother(ifMatch: "*", ifUnmodifiedSince: nil))
        #expect(!validators.isAnother(ifMatch: "\"x\", \(validators.tag)", ifUnmodifiedSince: nil))
        #expect(validators.isAnother(ifMatch: "\"x\"", ifUnmodifiedSince: date))
        #expect(validators.isAnother(ifMatch: "W/\(validators.tag)", ifUnmodifiedSince: nil))
        #expect(
            !validators.isAnother(ifMatch: validators.tag, ifUnmodifiedSince: before), "the tag goes before the date")
        #expect(!validators.isAnother(ifMatch: nil, ifUnmodifiedSince: date))
        #expect(validators.isAnother(ifMatch: nil, ifUnmodifiedSince: before))
        #expect(!validators.isAnother(ifMatch: nil, ifUnmodifiedSince: "yesterday"))
    }

    @Test func parsesAllThreeDateFormats() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ] { #expect(HTTPDate.secondsInAnyFormat(text) == 784_111_777) }
        #expect(HTTPDate.secondsInAnyFormat("Friday, 06-Nov-26 08:49:37 GMT") == 1_793_954_977)
        for text in ["Sunday, 06-Nov-1994 08:49:37 GMT", "Sun Nov 6 08:49:37 94x", "a b c d", "a b c d e"] {
            #expect(HTTPDate.secondsInAnyFormat(text) == nil)
        }
    }

    @Test func datesGoThereAndBack() {
        #expect(HTTPDate.text(seconds: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        for day in stride(from: Int64(0), to: 60_000, by: 17) {
            let seconds = day * 86_400 + day % 86_400
            #expect(HTTPDate.seconds(HTTPDate.text(seconds: seconds)) == seconds)
        }
        for text in [
            "", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 25:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Thu, 31 Feb 2008 08:49:37 GMT",
        ] {
            #expect(HTTPDate.seconds(text) == nil)
        }
    }
}

@Suite struct ConnectionWatchTests {
    private func watch() -> ConnectionWatch { ConnectionWatch(limits: .init(), now: .zero) }

    @Test func headersHaveTenSecondsFromTheFirstByte() {
        var watch = watch()
        for second in 1...9 {
            watch.bytesArrived(now: .seconds(second))
            #expect(watch.excess(now: .seconds(second)) == nil)
        }
        #expect(watch.excess(now: .seconds(10)) == .slowHead)
    }

    @Test func aBodyMayPauseTenSecondsAndLastSixty() {
        var watch = watch()
        watch.headEnded(now: .seconds(1))
        watch.bytesArrived(now: .seconds(5))
        #expect(watch.excess(now: .seconds(14)) == nil)
        #expect(watch.excess(now: .seconds(15)) == .slowBody)
        for second in 5...60 { watch.bytesArrived(now: .seconds(second)) }
        #expect(watch.excess(now: .seconds(60)) == nil)
        #expect(watch.excess(now: .seconds(61)) == .slowBody)
    }

    @Test func anAnswerMayTakeItsTimeAndThenTheConnectionIsIdle() {
        var watch = watch()
        watch.headEnded(now: .seconds(1))
        watch.requestEnded(now: .seconds(1))
        #expect(!watch.isInRequest)
        #expect(watch.excess(now: .seconds(1_000)) == nil)
        watch.answerEnded(now: .seconds(1_000))
        #expect(watch.excess(now: .seconds(1_059)) == nil)
        #expect(watch.excess(now: .seconds(1_060)) == .idle)
        watch.bytesArrived(now: .seconds(1_059))
        #expect(watch.excess(now: .seconds(1_068)) == nil)
        #expect(watch.excess(now: .seconds(1_069)) == .slowHead)
    }

    @Test func stalledReaderIsDisconnectedAfterThirtySeconds() {
        var watch = watch()
        watch.headEnded(now: .zero)
        watch.requestEnded(now: .zero)
        watch.saw(waitingBytes: 1_000, now: .seconds(10))
        watch.saw(waitingBytes: 1_000, now: .seconds(39))
        #expect(watch.excess(now: .seconds(39)) == nil)
        watch.saw(waitingBytes: 999, now: .seconds(39))
        #expect(watch.excess(now: .seconds(68)) == nil, "one byte was taken")
        watch.saw(waitingBytes: 999, now: .seconds(69))
        #expect(watch.excess(now: .seconds(69)) == .slowReader)
        watch.saw(waitingBytes: 0, now: .seconds(69))
        #expect(watch.excess(now: .seconds(500)) == nil)
    }

    @Test func anAnswerBeforeTheRequestEndedLeavesTheRequestOpen() {
        var watch = watch()
        watch.headEnded(now: .zero)
        #expect(watch.isInRequest)
        watch.answerEnded(now: .seconds(1))
        watch.requestEnded(now: .seconds(2))
        #expect(watch.excess(now: .seconds(61)) == nil)
        #expect(watch.excess(now: .seconds(62)) == .idle)
    }
}

@Suite struct WaitTests {
    @Test func silentConnectionsSortBeforeWaitingOnes() {
        typealias Wait = ConnectionWatch.Wait
        let waits = [
            Wait(hasSpoken: false, since: .seconds(3)), Wait(hasSpoken: false, since: .seconds(9)),
            Wait(hasSpoken: true, since: .seconds(1)), Wait(hasSpoken: true, since: .seconds(2)),
        ]
        #expect(waits.reversed().sorted() == waits)
    }

    @Test func connectionWaitsExceptWhileAnswering() {
        var watch = ConnectionWatch(limits: .init(), now: .seconds(1))
        #expect(watch.wait == .init(hasSpoken: false, since: .seconds(1)))
        watch.bytesArrived(now: .seconds(2))
        #expect(watch.wait == .init(hasSpoken: true, since: .seconds(1)))
        watch.headEnded(now: .seconds(3))
        #expect(watch.wait == .init(hasSpoken: true, since: .seconds(3)))
        watch.requestEnded(now: .seconds(4))
        #expect(watch.wait == nil)
        // Another request comes while that one is answered.
        watch.headEnded(now: .seconds(5))
        #expect(watch.wait == nil)
        watch.requestEnded(now: .seconds(5))
        watch.answerEnded(now: .seconds(6))
        #expect(watch.wait == nil)
        watch.answerEnded(now: .seconds(7))
        #expect(watch.wait == .init(hasSpoken: true, since: .seconds(7)))
    }
}

@Suite struct LoggedAddressTests {
    @Test(arguments: [
        ("/feed.json", "/feed.json"), ("/feed.json?cursor=x&limit=5", "/feed.json?cursor=x&limit=5"),
        ("/media/0123/a%20b.ts?topic=sea%2Fx", "/media/0123/a%20b.ts?topic=sea%2Fx"), ("/?", "/?"), ("/?&", "/?&"),
        ("/?token=let-me-in-please", "/?token=…"), ("/?%74oken=let-me-in-please", "/?%74oken=…"),
        ("/?%2574oken=x&a=1&limit=2", "/?%2574oken=…&a=1&limit=2"), ("/?Token=x", "/?Token=…"),
        ("/?tokn=secret-text", "/?tokn=…"), ("/?t=secret-text", "/?t=…"), ("/?x", "/?x"), ("/?let-me-in-please", "/?…"),
        ("/?wrong-text", "/?…"),
        ("/?let-me-in-please=", "/?…=…"), ("/?a%3Dsecret", "/?…"), ("/?a%3Dsecret=x", "/?…=…"),
        ("/?topic=x%26token%3Dsecret", "/?topic=…"), ("/?topic=let%2Dme-in-please", "/?topic=…"),
        ("/?topic=x;token=secret", "/?topic=…"), ("/?limit=1?token=secret", "/?limit=…"),
        ("/feed.json&token=secret", "/feed.json…"), ("/feed.json%3Ftoken%3Dsecret", "/feed.json…"),
        ("/feed.json;tokn=secret/x", "/feed.json…/x"), ("/x/let-me-in-%70lease", "/x/…"),
        (
            "/stats.json?token=an-admin-token&since=2026-01-01T00:00:00Z",
            "/stats.json?token=…&since=2026-01-01T00:00:00Z"
        ),
    ])
    func possibleTokensAreHidden(address: String, shown: String) {
        #expect(LoggedAddress(tokens: ["let-me-in-please", "an-admin-token"]).text(address) == shown)
    }

    @Test(arguments: [
        ("flick/1.0", "flick/1.0"), ("let-me-in-please", "…"), ("curl token=let-me-in-%70lease", "…"),
    ])
    func tokensInAgentsAreHidden(agent: String, shown: String) {
        #expect(LoggedAddress(tokens: ["let-me-in-please"]).agent(agent) == shown)
    }
}

@Suite struct AddressTests {
    @Test(arguments: [
        "localhost", "127.0.0.1:8642", "[::1]:80", "a-b.example", "flick_box", "x:", "[::ffff:127.0.0.1]",
    ])
    func hostsAreTaken(host: String) throws {
        let address = try ServerAddress(host: host, isSecure: false, token: nil)
        #expect(address.url("/media/x") == "http://\(host)/media/x")
    }

    @Test(arguments: [
        "", "a b", "a/b", "a@b", "a\"b", "<x>", "a:b", "a:123456", "a:65536", "a:0", "a..", ".", "[127.0.0.1]", "[::g]",
        "[::1", "::1", "[]", "a\r\nb", "é", "a?b", "a#b",
        "~",
        String(repeating: "a", count: 256),
    ])
    func invalidHostIsRejected(host: String) {
        #expect(throws: RequestError.self) { try ServerAddress(host: host, isSecure: false, token: nil) }
    }

    @Test func theTokenGoesWithEveryAddress() throws {
        let address = try ServerAddress(host: "h", isSecure: true, token: "a&b c")
        #expect(address.url("/") == "https://h/?token=a%26b%20c")
        #expect(address.url("/feed.json", [("topic", "x/y")]) == "https://h/feed.json?topic=x%2Fy&token=a%26b%20c")
    }

    @Test func queriesAreDecoded() throws {
        let query = try AddressQuery("a=1&b=x+y%2B&c&a=2&=z")
        #expect(query["a"] == "1" && query["b"] == "x y+" && query["c"] == "" && query["d"] == nil)
        for text in ["a=%", "a=%4", "a=%zz", "a=%ff", "%00=1"] {
            #expect(throws: RequestError.self) { try AddressQuery(text[...]) }
        }
    }

    @Test func tokensAreComparedWhole() {
        let token = AccessToken("secret-token")
        #expect(token.place(authorization: "Bearer secret-token", query: nil) == .header)
        #expect(token.place(authorization: "bearer secret-token", query: nil) == .header)
        #expect(token.place(authorization: nil, query: "secret-token") == .address)
        for wrong in ["", "secret", "secret-token2", "secret-tokeN", "secret-tokensecret-token"] {
            #expect(token.place(authorization: "Bearer " + wrong, query: wrong) == nil)
        }
        #expect(token.place(authorization: "Basic secret-token", query: nil) == nil)
        #expect(AccessToken("").place(authorization: "Bearer ", query: "") == nil)
    }
}

@Suite struct CursorTests {
    @Test func anyPathGoesThereAndBack() {
        var generator = SystemRandomNumberGenerator()
        for length in 1...64 {
            let path = (0..<length).map { _ in UInt8.random(in: 1...255, using: &generator) }
            let text = FeedCursor.text(of: path)
            #expect(FeedCursor.path(of: text) == path)
            #expect(text.utf8.allSatisfy { $0 < 0x80 && $0 != 0x2B && $0 != 0x2F && $0 != 0x3D })
        }
    }

    @Test func invalidCursorIsRejected() {
        for text in ["", "a b", "=", "é", "AAAA", String(repeating: "Q", count: 6_000)] {
            #expect(FeedCursor.path(of: text) == nil)
        }
    }
}
