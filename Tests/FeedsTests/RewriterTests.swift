import Model
import Testing

@testable import Feeds

@Suite struct RewriterTests {
    private static let rules = [
        URLRewriter.Rule(from: "bucket.s3.amazonaws.com", to: "https://cdn.example/b"),
        URLRewriter.Rule(from: "bucket.s3.amazonaws.com/raw", to: "https://raw.example/"),
        URLRewriter.Rule(from: "https://old.example/clips/", to: "https://new.example/c/"),
        URLRewriter.Rule(from: "cdn.example", to: "https://edge.example"),
        URLRewriter.Rule(from: "/", to: "https://root.example"),
        URLRewriter.Rule(from: "media/", to: "https://media.example/m"),
    ]

    @Test(arguments: [
        ("https://bucket.s3.amazonaws.com/a/b.mp4?x=1", "https://cdn.example/b/a/b.mp4?x=1"),
        ("http://bucket.s3.amazonaws.com/a.mp4", "https://cdn.example/b/a.mp4"),
        ("http://BUCKET.s3.amazonaws.com", "https://cdn.example/b"),
        ("//bucket.s3.amazonaws.com/a.mp4", "https://cdn.example/b/a.mp4"),
        ("https://s3.amazonaws.com/bucket/a.mp4", "https://cdn.example/b/a.mp4"),
        ("http://s3.amazonaws.com/bucket/raw/a.mp4", "https://raw.example/a.mp4"),
        ("https://bucket.s3.amazonaws.com/raw/a.mp4", "https://raw.example/a.mp4"),
        ("https://bucket.s3.amazonaws.com/rawer.mp4", "https://cdn.example/b/rawer.mp4"),
        ("https://old.example/clips/a.mp4", "https://new.example/c/a.mp4"),
        ("https://cdn.example?a", "https://edge.example?a"),
        ("/v/a.mp4", "https://root.example/v/a.mp4"), ("media/a.mp4", "https://media.example/m/a.mp4"),
    ])
    func matchingURLsAreRewritten(text: String, expected: String) {
        #expect(URLRewriter(Self.rules).rewrite(text) == expected)
    }

    @Test(arguments: [
        "https://s3.amazonaws.com/bucketeer/a.mp4", "https://s3.amazonaws.com/other/a.mp4",
        "http://old.example/clips/a.mp4", "https://old.example/clipster.mp4", "https://cdn.example.evil/a.mp4",
        "https://cdn.example:8080/a.mp4", "https://cdn.example@evil/a.mp4", "https://me@cdn.example/a.mp4",
        "ftp://cdn.example/a.mp4", "//other.example/a.mp4", "mediator/a.mp4", "v/a.mp4", "",
    ])
    func otherTextsAreNotRewritten(text: String) { #expect(URLRewriter(Self.rules).rewrite(text) == text) }

    @Test func theLongestRuleCounts() {
        let rules = [
            URLRewriter.Rule(from: "h.example/a", to: "https://short"),
            URLRewriter.Rule(from: "h.example/a/b", to: "https://long"),
        ]
        for rules in [rules, rules.reversed()] {
            #expect(URLRewriter(rules).rewrite("http://h.example/a/b/c") == "https://long/c")
            #expect(URLRewriter(rules).rewrite("http://h.example/a/x") == "https://short/x")
        }
    }

    @Test func everyURLOfAnItemIsRewritten() throws {
        let text = #"""
            {"items": [{"videoURL": "x", "url": "http://h.example/1.mp4", "Thumbnail": "http://h.example/x.jpg",
              "thumbnail": "http://h.example/1.jpg", "title": "http://h.example/", "link": "http://h.example/p",
              "creator": {"avatar": "http://h.example/a.jpg", "name": "http://h.example/n"}}, "http://h.example/2.mp4"]}
            """#
        let read = try ReadManifest(Array(text.utf8), rewriting: [.init(from: "h.example", to: "https://cdn")])
        let item = read.items[0]
        #expect(item.url == "https://cdn/1.mp4" && item.thumbnail == "https://cdn/1.jpg")
        #expect(item.creator?.avatar == "https://cdn/a.jpg" && item.creator?.name == "http://h.example/n")
        #expect(item.title == "http://h.example/" && item.link == "http://h.example/p")
        #expect(read.items[1].url == "https://cdn/2.mp4")
    }

    @Test func nestedValuesAreCheckedByTheirOwnKeys() {
        let value = JSON.object([
            "media_list": .list([
                .text("/a"), .list([.text("/b")]), .object(["name": .text("/c"), "S3Key": .text("/d")]),
            ]),
            "cover": .number(3), "other": .object(["Poster": .text("/e")]),
        ])
        let expected = JSON.object([
            "media_list": .list([
                .text("https://r/a"), .list([.text("https://r/b")]),
                .object(["name": .text("/c"), "S3Key": .text("https://r/d")]),
            ]),
            "cover": .number(3), "other": .object(["Poster": .text("https://r/e")]),
        ])
        #expect(URLRewriter([.init(from: "/", to: "https://r")]).rewrite(value) == expected)
    }

    @Test func rewrittenURLsMustPassTheLinkPolicyToo() throws {
        #expect(throws: Never.self) {
            let read = try ReadManifest(
                Array(#"["https://h.example/etc/passwd", "https://ok/a.mp4"]"#.utf8), at: "https://feed/",
                rewriting: [.init(from: "h.example", to: "file://")])
            #expect(read.items.map(\.url) == ["https://ok/a.mp4"])
        }
    }
}
