import Bytes
import Model
import Testing

@Suite struct FileURLTests {
    @Test(arguments: [
        "/a.mp4", "/with space/ü.mp4", "/new\nline", "/50%.mp4", "/50%41.mp4", "/#1?.mp4", "/\u{1B}[31m", "/🌅 صباح.mp4",
        "/",
        "/a//b", "/c:d",
    ])
    func pathsComeBackAsTheyWere(path: String) {
        #expect(FileURL.path(of: FileURL.url(path: path.utf8)) == Array(path.utf8))
    }

    @Test func everyByteButNULComesBack() {
        let path = [0x2F] + (1...255).map { UInt8($0) }
        let url = FileURL.url(path: path)
        #expect(FileURL.path(of: url) == path)
        #expect(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }

    @Test(arguments: ["http://host/a", "file://other/a", "file:relative", "file:///a%00b", "plain", ""])
    func otherURLsAreNoPaths(url: String) { #expect(FileURL.path(of: url) == nil) }

    @Test func plainQuestionMarksAndHashesBelongToTheName() {
        #expect(FileURL.path(of: "file:///a?b#c") == Array("/a?b#c".utf8))
        #expect(FileURL.path(of: "FILE://localhost/a") == Array("/a".utf8))
    }

    @Test func pathsBecomeAbsolute() {
        #expect(FileURL.absolute(Array("/a/./b//c".utf8)) == Array("/a/b/c".utf8))
        #expect(FileURL.absolute(Array("x".utf8)).first == UInt8(ascii: "/"))
        #expect(FileURL.absolute(Array("/".utf8)) == Array("/".utf8))
    }
}

@Suite struct ReferenceTests {
    /// RFC 3986 §5.4, against http://a/b/c/d;p?q.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../g", "http://a/b/g"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
    ])
    func remoteReferencesResolveAsTheRFCSays(reference: String, expected: String) {
        #expect(URLParts.resolve(reference, against: "http://a/b/c/d;p?q") == expected)
    }

    @Test(arguments: [
        ("clip.mp4", "/m/clip.mp4"), ("my clip #1?.mp4", "/m/my clip #1?.mp4"), ("100%.mp4", "/m/100%.mp4"),
        ("a%20b.mp4", "/m/a b.mp4"), ("../up.mp4", "/up.mp4"), ("/abs.mp4", "/abs.mp4"), ("ü\n.mp4", "/m/ü\n.mp4"),
        ("file:///x.mp4", "/x.mp4"),
    ])
    func localReferencesAreNames(reference: String, path: String) throws {
        let url = try #require(URLParts.resolve(reference, against: "file:///m/feed.json"))
        #expect(FileURL.path(of: url) == Array(path.utf8))
    }

    @Test func absoluteReferencesStay() {
        #expect(URLParts.resolve("https://h/x?a=b#c", against: "file:///m/feed.json") == "https://h/x?a=b#c")
        #expect(URLParts.resolve("x", against: "no base") == nil)
        #expect(URLParts.resolve("mailto:x", against: "http://a/") == nil)
    }
}

@Suite struct URLAccessPolicyTests {
    @Test func remoteNeverLeadsToLocal() {
        #expect(URLAccessPolicy.allows("https://h/a", from: "https://h/feed"))
        #expect(URLAccessPolicy.allows("http://h/a", from: "https://h/feed"))
        for target in [
            "file:///etc/passwd", "FILE:///etc/passwd", "concat:a|b", "data:text/plain,x", "ftp://h/a", "/etc/passwd",
        ] {
            #expect(!URLAccessPolicy.allows(target, from: "https://h/feed"), "\(target)")
        }
    }

    @Test func localLeadsToFilesAndTheWeb() {
        #expect(URLAccessPolicy.allows("file:///a", from: "file:///feed.json"))
        #expect(URLAccessPolicy.allows("https://h/a", from: "file:///feed.json"))
        #expect(!URLAccessPolicy.allows("rtsp://h/a", from: "file:///feed.json"))
    }
}
