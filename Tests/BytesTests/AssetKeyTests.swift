import Model
import Testing

@testable import Bytes
@testable import Cache
@testable import HTTP

@Suite struct AssetKeyTests {
    @Test(arguments: [
        ("HTTP://Host.Example:80/a#part", "http://host.example/a"), ("https://h:443", "https://h/"),
        ("https://h:8443/a", "https://h:8443/a"), ("http://user:pass@h/a", "http://h/a"),
        ("http://h/a/./b/../c", "http://h/a/c"), ("http://h/a/%2e%2E/c", "http://h/c"),
        ("http://h/%7euser/%c3%bc", "http://h/~user/%C3%BC"), ("http://h/ü b", "http://h/%C3%BC%20b"),
        ("http://h/50%", "http://h/50%25"), ("http://[FE80::1]:80/", "http://[fe80::1]/"),
        ("http://h/a?b=2&a=1&b=%41", "http://h/a?b=2&a=1&b=A"), ("http://h/a?", "http://h/a?"),
        ("http://h/a%2Fb", "http://h/a%2Fb"), ("http://h?q", "http://h/?q"),
    ])
    func equivalentURLsHaveOneKey(url: String, canonical: String) { #expect(AssetKey(url)?.text == canonical) }

    @Test(arguments: [
        ("https://b/o?X-Amz-Date=1&x-amz-signature=2&v=3", "https://b/o?v=3"),
        ("https://b/o?X-Goog-Expires=1&X-Goog-Signature=2", "https://b/o"),
        ("https://c/o?id=7&Expires=1&Signature=2&Key-Pair-Id=3&Policy=4", "https://c/o?id=7"),
        ("https://a/o?hdnts=exp=1~hmac=2&hdnea=3&hdntl=4&__token__=5&q=1", "https://a/o?q=1"),
        ("https://z/o?sv=1&st=2&se=3&sr=b&sp=r&sig=4&part=5", "https://z/o?part=5"),
        // Without their signature these mean something else.
        ("https://h/o?Expires=1&Policy=2&sp=3", "https://h/o?Expires=1&Policy=2&sp=3"),
    ])
    func expiringSignaturesAreLeftOut(url: String, canonical: String) { #expect(AssetKey(url)?.text == canonical) }

    @Test func theHashIsTheSHA256OfTheText() {
        #expect(AssetKey("http://h/a")?.hash == "c43fa283946b81455781ee66e2429e922951961b9f11ec301adaef81f333835e")
        #expect(AssetKey("http://h/a")?.hash == AssetKey("HTTP://H:80/%61#x")?.hash)
        #expect(AssetKey("http://h/a")?.hash != AssetKey("https://h/a")?.hash)
    }

    @Test(arguments: [
        "file:///a", "ftp://h/a", "/a", "", "http:", "http:///a", "http://:80/", "http://h:0/", "http://h:65536/",
        "http://h:8o/",
        "http://h h/", "http://h\\@evil/", "http://h@x@evil/", "http://[::1/", "http://[::1]x/", "http://ü!.de/",
        "http://%31/",
        "http://a\u{0}/",
    ])
    func otherURLsHaveNoKey(url: String) { #expect(AssetKey(url) == nil) }
}

@Suite struct AssetFactsTests {
    @Test func missingFactsMatch() {
        let known = AssetFacts(length: 10, type: "video/mp4", etag: "\"a\"", lastModified: "Mon", servesRanges: true)
        #expect(known.agrees(with: AssetFacts()))
        #expect(known.agrees(with: known))
        #expect(!known.agrees(with: AssetFacts(length: 11)))
        #expect(!known.agrees(with: AssetFacts(etag: "\"b\"")))
        #expect(!known.agrees(with: AssetFacts(lastModified: "Tue")))
        #expect(known.agrees(with: AssetFacts(type: "text/plain", servesRanges: false)))
    }

    @Test func ifRangeNeedsAStrongTagOrADate() {
        #expect(AssetFacts(etag: "\"a\"", lastModified: "Mon").ifRange == "\"a\"")
        #expect(AssetFacts(etag: "W/\"a\"", lastModified: "Mon").ifRange == "Mon")
        #expect(AssetFacts(etag: "W/\"a\"").ifRange == nil)
        #expect(AssetFacts(etag: "bare").ifRange == nil)
        #expect(AssetFacts(lastModified: "Mon").ifRange == "Mon")
        #expect(AssetFacts().ifRange == nil)
    }
}

@Suite struct HTTPFieldTests {
    @Test(
        arguments: [
            ("bytes 0-0/1", 0...0, 1), ("Bytes  5-9/10 ", 5...9, 10), ("bytes 5-9/*", 5...9, nil),
            ("bytes */12", nil, 12),
        ] as [(String, ClosedRange<Int64>?, Int64?)])
    func validContentRangesAreParsed(text: String, span: ClosedRange<Int64>?, length: Int64?) throws {
        let range = try #require(ContentRange(text))
        #expect(range.span == span && range.length == length)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-1", "bytes 1-0/5", "bytes 0-5/5", "bytes -1/5", "bytes 0-/5", "bytes +1-2/5",
        "bytes 0-1/5/6",
        "bytes 0-1-2/5", "items 0-1/5", "bytes */*", "bytes 0-1/-5", "bytes 0-9223372036854775807/*", "bytes a-b/c",
        "bytes 0-18446744073709551616/*", "bytes 0 - 1/5",
    ])
    func invalidContentRangesAreRefused(text: String) { #expect(ContentRange(text) == nil) }

    @Test func invalidLengthsAreRefused() {
        #expect(HTTPFields.contentLength(["12"]) == 12)
        #expect(HTTPFields.contentLength(["12", "12"]) == 12)
        #expect(HTTPFields.contentLength(["12, 12"]) == 12)
        for values in [["12", "13"], ["-1"], ["1e3"], [""], ["99999999999999999999"], []] {
            #expect(HTTPFields.contentLength(values) == nil, "\(values)")
        }
    }

    @Test(
        arguments: [
            ("3", 3), (" 0 ", 0), ("61", 61), ("99999999999999999999", 1 << 32), ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
            ("Sun, 06 Nov 1994 08:49:00 GMT", 0), ("Mon, 07 Nov 1994 08:49:37 GMT", 86_400), ("-3", nil), ("soon", nil),
            ("", nil),
            ("Sun, 06 Nov 1994 25:49:37 GMT", nil), ("Sunday, 06-Nov-94 08:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func retryAfterIsParsed(text: String, seconds: Int64?) {
        #expect(RetryAfter.parse(text, now: 784_111_777) == seconds.map { .seconds($0) })
    }

    @Test func datesAreCountedWithLeapYears() {
        #expect(HTTPDate.seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
        #expect(HTTPDate.seconds("Tue, 29 Feb 2000 12:00:00 GMT") == 951_825_600)
        #expect(HTTPDate.seconds("Thu, 31 Dec 2099 23:59:59 GMT") == 4_102_444_799)
    }
}

@Suite struct RetryPolicyTests {
    @Test func pausesDoubleAndEnd() {
        var policy = RetryPolicy()
        let pauses = (0..<6).map { _ in policy.delay(after: .status(503, retryAfter: nil), jitter: 1) }
        #expect(pauses == [.milliseconds(250), .milliseconds(500), .seconds(1), nil, nil, nil])
        var jittered = RetryPolicy()
        #expect(jittered.delay(after: .dropped(progress: false), jitter: 0) == .milliseconds(125))
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504, 506, 507, 520, 521, 522, 530, 599])
    func temporaryFailuresAreRetried(status: Int) {
        var policy = RetryPolicy()
        #expect(policy.delay(after: .status(status, retryAfter: nil), jitter: 1) == .milliseconds(250))
        #expect(BytesError(verb: .open, url: "http://h/x", reason: .status(status)).mayPass)
    }

    @Test(arguments: [400, 401, 403, 404, 410, 416, 451, 501, 505, 200])
    func permanentFailuresAreNotRetried(status: Int) {
        var policy = RetryPolicy()
        #expect(policy.delay(after: .status(status, retryAfter: .seconds(1)), jitter: 0) == nil)
    }

    @Test func thePauseIsAtLeastRetryAfter() {
        var policy = RetryPolicy()
        #expect(policy.delay(after: .status(429, retryAfter: .seconds(7)), jitter: 0) == .seconds(7))
        #expect(policy.delay(after: .status(429, retryAfter: .zero), jitter: 1) == .milliseconds(500))
    }

    @Test func tooLongRetryAfterFails() {
        var policy = RetryPolicy()
        #expect(policy.delay(after: .status(429, retryAfter: .seconds(31)), jitter: 0) == nil)
        var patient = RetryPolicy()
        let pauses = (0..<2).map { _ in patient.delay(after: .status(429, retryAfter: .seconds(20)), jitter: 0) }
        #expect(pauses == [.seconds(20), nil])
    }

    @Test func silentServerFailsAfterTwoAttempts() {
        var policy = RetryPolicy()
        let pauses = (0..<2).map { _ in
            policy.delay(after: .dropped(progress: false), took: .seconds(15), jitter: 1)
        }
        #expect(pauses == [.milliseconds(250), nil])
        // A transfer that brings bytes may take its time.
        var slow = RetryPolicy()
        let others = (0..<4).map { _ in slow.delay(after: .dropped(progress: true), took: .seconds(600), jitter: 1) }
        #expect(others.allSatisfy { $0 == .milliseconds(250) })
    }

    @Test func offlineIsReportedSoon() {
        var policy = RetryPolicy()
        let pauses = (0..<3).map { _ in policy.delay(after: .unreachable, jitter: 1) }
        #expect(pauses == [.milliseconds(250), .milliseconds(500), nil])
    }

    @Test func progressResetsTheAttemptsButNotForEver() {
        var policy = RetryPolicy()
        let start = ContinuousClock.now
        for _ in 0..<30 {
            #expect(policy.delay(after: .dropped(progress: true), jitter: 1, at: start) == .milliseconds(250))
        }
        let then = (0..<4).map { _ in policy.delay(after: .dropped(progress: true), jitter: 1, at: start) }
        #expect(then == [.milliseconds(500), .seconds(1), nil, nil])
        let later = policy.delay(after: .dropped(progress: true), jitter: 1, at: start + .seconds(60))
        #expect(later == .milliseconds(250))
    }
}
