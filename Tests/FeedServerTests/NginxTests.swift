import Foundation
import Model
import TestSupport
import Testing

@testable import FeedServer

/// Range and conditional requests get the answers that nginx gives for the same
/// file, except where RFC 9110 says otherwise.
@Suite struct BesideNginxTests {
    /// A request for the file. In a field TAG stands for the server's own entity tag, DATE for the file's date, EARLIER
    /// and LATER for a second before and after.
    struct Case: Sendable, CustomTestStringConvertible {
        var method = "GET"
        var fields: [String]
        /// Our status where nginx's differs, and the section that justifies it.
        var difference: (status: Int, section: String)?

        var testDescription: String { "\(method) \(fields)" }
    }

    private static func range(_ text: String, _ status: Int? = nil, _ section: String = "") -> Case {
        Case(fields: ["Range: bytes=" + text], difference: status.map { ($0, section) })
    }

    private static func get(_ fields: String..., differs difference: (Int, String)? = nil) -> Case {
        Case(fields: fields, difference: difference.map { (status: $0.0, section: $0.1) })
    }

    private static func head(_ fields: String..., differs difference: (Int, String)? = nil) -> Case {
        Case(method: "HEAD", fields: fields, difference: difference.map { (status: $0.0, section: $0.1) })
    }

    static let ignored = "14.2: a range that is malformed may be ignored"
    static let large = "14.1.2: numbers of any length have to be read"
    static let empty = "5.6.1.2: empty elements of a list have to be ignored"

    static let ranges = [
        get(), range("0-0"), range("0-9"), range("0-"), range("99999-"), range("99999-99999"), range("50000-60000"),
        range("0-99999"), range("0-100000"), range("0-999999"), range("100000-"), range("100000-100001"),
        range("999999-"), range("-1"), range("-100000"), range("-100001"), range("-0"), range("-999999999"),
        range("00-09"), range("000000000000000000000000000005-9"), range(" 1-2"), range(""),
        get("Range: BYTES=0-9"), get("Range: Bytes=5-"), get("Range: items=0-9"), get("Range: bytes"),
        get("Range: bytes:0-9"), get("Range: bytes =0-9"), get("Range: "),
        // Several. nginx is configured to send the whole file, as we do.
        range("0-1,5-6"), range("0-1, 5-6"), range("0-1 ,5-6"), range("0-0,-1"), range("-5,0-4"), range("0-9,200000-"),
        range("200000-,0-9"), range("200000-,300000-"), range("0-9,", 206, empty), range(",0-9", 206, empty),
        range("0-9,,", 206, empty),
        // Malformed.
        range("9-1", 200, ignored), range("-", 200, ignored), range("a-b", 200, ignored), range("1-2-3", 200, ignored),
        range("--1", 200, ignored), range("+1-2", 200, ignored), range("0x1-2", 200, ignored),
        range("1.5-2", 200, ignored), range("1-2;q=1", 200, ignored), range("1 0-2 0", 200, ignored),
        range("1 - 2", 200, "14.1.2: there are no blanks in a range"),
        range("0-99999999999999999999", 206, large), range("99999999999999999999-"),
        range("-99999999999999999999", 206, large),
        head(), head("Range: bytes=0-9", differs: (200, "14.2: only GET has ranges")),
        head("Range: bytes=-5", differs: (200, "14.2: only GET has ranges")),
        head("Range: bytes=100000-", differs: (200, "14.2: only GET has ranges")),
    ]

    static let conditions = [
        get("Range: bytes=0-9", "If-Range: TAG"), get("Range: bytes=0-9", "If-Range: \"x\""),
        get("Range: bytes=0-9", "If-Range: W/TAG"), get("Range: bytes=0-9", "If-Range: DATE"),
        get("Range: bytes=0-9", "If-Range: EARLIER"), get("Range: bytes=0-9", "If-Range: LATER"),
        get("Range: bytes=0-9", "If-Range: yesterday"), get("Range: bytes=0-9", "If-Range: DATE850"),
        get("Range: bytes=0-9", "If-Range: ASCTIME"), get("Range: bytes=100000-", "If-Range: TAG"),
        get("Range: bytes=100000-", "If-Range: \"x\""), get("If-Range: TAG"),
        get("If-None-Match: TAG"), get("If-None-Match: W/TAG"), get("If-None-Match: *"), get("If-None-Match: \"x\""),
        get("If-None-Match: \"x\", TAG"), get("If-None-Match: \"x\",W/TAG , \"y\""), get("If-None-Match: x"),
        get("If-None-Match: \"x\"", "If-Modified-Since: DATE"), get("If-None-Match: TAG", "Range: bytes=0-9"),
        get("If-None-Match: TAG", "If-Modified-Since: DATE"),
        get(
            "If-None-Match: TAG", "If-Modified-Since: EARLIER",
            differs: (304, "13.1.3: the date is ignored beside If-None-Match")),
        get("If-Modified-Since: DATE"), get("If-Modified-Since: LATER"), get("If-Modified-Since: EARLIER"),
        get("If-Modified-Since: yesterday"), get("If-Modified-Since: DATE850"), get("If-Modified-Since: ASCTIME"),
        get("If-Modified-Since: DATE", "Range: bytes=0-9"),
        get("If-Match: TAG"), get("If-Match: *"), get("If-Match: \"x\""), get("If-Match: \"x\", TAG"),
        get("If-Match: W/TAG"), get("If-Match: TAG", "Range: bytes=0-9"), get("If-Match: \"x\"", "Range: bytes=0-9"),
        get("If-Match: \"x\"", "If-None-Match: TAG"), get("If-Match: TAG", "If-None-Match: TAG"),
        get("If-Unmodified-Since: DATE"), get("If-Unmodified-Since: LATER"), get("If-Unmodified-Since: EARLIER"),
        get("If-Unmodified-Since: DATE850"), get("If-Unmodified-Since: EARLIER", "Range: bytes=0-9"),
        get("If-Unmodified-Since: DATE", "If-None-Match: TAG"), get("If-Unmodified-Since: DATE", "Range: bytes=-1"),
        get("If-Unmodified-Since: yesterday", differs: (200, "13.1.4: an invalid date is ignored")),
        get(
            "If-Match: TAG", "If-Unmodified-Since: EARLIER",
            differs: (200, "13.1.4: the date is ignored beside If-Match")),
        head("If-None-Match: TAG"), head("If-Modified-Since: DATE"), head("If-Match: \"x\""), head("If-Match: TAG"),
        head("If-Unmodified-Since: EARLIER"),
    ]

    @Test func answersMatchNginx() async throws {
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let served = try await ServedFolder(["a.mp4": bytes])
        let path = served.path
        // A file that was renamed into its place was changed after it was modified, and maybe in another second: then
        // its date is weak (13.1.5).
        let file = try #require(FileHandle(forWritingAtPath: path + "/a.mp4"))
        file.write(Data(bytes.prefix(1)))
        file.closeFile()
        let nginx = try await onThread {
            try NginxProcess { ports in
                "server { listen 127.0.0.1:\(ports[0]); root \(path); max_ranges 1; if_modified_since before; }"
            }
        }
        let ours = try await Peer(served, port: served.port, target: "/media/" + ServedFolder.a)
        let theirs = try await Peer(served, port: nginx.ports[0], target: "/a.mp4")
        #expect(ours.date == theirs.date && ours.tag != theirs.tag)
        let cases = Self.ranges + Self.conditions
        #expect(cases.count >= 90)
        for one in cases {
            let (mine, other) = (try await ours.ask(one), try await theirs.ask(one))
            if let difference = one.difference {
                #expect(mine.status == difference.status && other.status != difference.status, "\(one.testDescription)")
                continue
            }
            #expect(mine.status == other.status, "\(one.testDescription)")
            // Each server has its own text for an error.
            if mine.status < 300 {
                #expect(mine.body.elementsEqual(other.body), "\(one.testDescription)")
                // A 206 shows by itself that there are ranges (14.3): nginx leaves the field out of it.
                let names = ["content-length", "content-type"] + (mine.status == 200 ? ["accept-ranges"] : [])
                for name in names {
                    #expect(mine.headers[name] == other.headers[name], "\(one.testDescription): \(name)")
                }
            }
            if mine.status == 304 { #expect(mine.body.isEmpty && mine.headers["etag"] == ours.tag) }
            if mine.status < 400 { #expect(mine.headers["last-modified"] == other.headers["last-modified"]) }
            #expect(mine.headers["content-range"] == other.headers["content-range"], "\(one.testDescription)")
        }
        await served.stop()
        withExtendedLifetime(nginx) {}
    }

    /// One of the two, and what it calls the file's version.
    private struct Peer {
        let served: ServedFolder
        let port: UInt16
        let target: String
        var (tag, date) = ("", "")

        init(_ served: ServedFolder, port: UInt16, target: String) async throws {
            (self.served, self.port, self.target) = (served, port, target)
            let reply = try await ask(Case(method: "HEAD", fields: []))
            (tag, date) = (try #require(reply.headers["etag"]), try #require(reply.headers["last-modified"]))
        }

        func ask(_ one: Case) async throws -> ServedFolder.Reply {
            let fields = one.fields.map { "\r\n" + filled($0) }.joined()
            return try await served.exchange(
                "\(one.method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\(fields)\r\n\r\n", port: port)
        }

        private func filled(_ field: String) -> String {
            let seconds = HTTPDate.seconds(date) ?? 0
            let words = date.split(separator: " ").map(String.init)
            let days = [
                "Sun,": "Sunday", "Mon,": "Monday", "Tue,": "Tuesday", "Wed,": "Wednesday", "Thu,": "Thursday",
                "Fri,": "Friday", "Sat,": "Saturday",
            ]
            var text = field
            if words.count == 6 {
                let (day, month, year, time) = (words[1], words[2], words[3], words[4])
                let shown = day.hasPrefix("0") ? " " + day.dropFirst() : day
                text.replace("DATE850", with: "\(days[words[0]] ?? ""), \(day)-\(month)-\(year.suffix(2)) \(time) GMT")
                text.replace("ASCTIME", with: "\(words[0].dropLast()) \(month) \(shown) \(time) \(year)")
            }
            text.replace("DATE", with: date)
            text.replace("EARLIER", with: HTTPDate.text(seconds: seconds - 1))
            text.replace("LATER", with: HTTPDate.text(seconds: seconds + 1))
            text.replace("TAG", with: tag)
            return text
        }
    }
}
