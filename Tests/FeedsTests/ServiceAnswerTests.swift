import Model
import TestSupport
import Testing

@testable import Feeds

/// Answers of a service, valid or not.
@Suite struct ServiceAnswerTests {
    private static let whole = #"{"id":"1","text":"t","at":"2026-01-01T00:00:00Z","name":"N","own":true,"replies":[]}"#

    private func page(_ text: String) -> CommentPage? { ServiceAnswer.comments(Array(text.utf8)) }

    @Test func aPageOfCommentsIsRead() throws {
        let reply = #"{"id":"2","text":"r","at":"2026-01-01T00:00:00Z"}"#
        let comment = Self.whole.replacing("[]", with: "[\(reply)]")
        let answer = self.page(#"{"comments":[\#(comment)],"next":"x","total":2}"#)
        let page = try #require(answer)
        #expect(page.comments.map(\.id) == ["1", "2"] && page.comments.map(\.parent) == [nil, "1"])
        #expect(page.next == "x" && page.total == 2)
        #expect(page.comments[0].name == "N" && page.comments[0].isOwn && !page.comments[1].isOwn)
    }

    private static let values = [
        "null", "true", "-1", "1e999", "1.5", "\"\"", "\"text\"", "[]", "[[]]", "{}", "{\"a\":[null]}", "\"\\ud800\"",
        "\"\\u0000\"",
    ]

    /// Every value in the place of every other: nothing crashes, and what is wrong costs only itself.
    @Test(arguments: ["id", "text", "at", "name", "own", "replies", "parent"])
    func valuesOfOtherTypesAreNoComments(field: String) throws {
        let fields = [("id", "\"0\""), ("text", "\"t\""), ("at", "\"2026-01-01T00:00:00Z\""), ("name", "\"N\"")]
        let needed = ["id", "text", "at"]
        for value in Self.values {
            let all = fields.filter { $0.0 != field } + [(field, value)]
            let odd = all.map { "\"\($0)\":\($1)" }.joined(separator: ",")
            let answer = self.page(
                "{\"comments\":[{\(odd)},\(value),\(Self.whole)],\"next\":\(value),\"total\":\(value)}")
            let page = try #require(answer)
            #expect(page.comments.last?.id == "1" && (page.total ?? 0) >= 0)
            // A number may be a text, as ids of some services are.
            if needed.contains(field), "ntf[{".contains(value.prefix(1)) {
                #expect(page.comments.count == 1, "\(value)")
            }
            if !needed.contains(field) { #expect(page.comments.count == 2, "\(value)") }
        }
    }

    @Test(arguments: [
        "", "null", "[]", "{}", "{\"comments\":{}}", "{\"comments\":[", "<html>", "\u{0}",
        String(repeating: "[", count: 500_000), String(repeating: "{\"comments\":[", count: 50_000),
        "{\"comments\":[{\"replies\":" + String(repeating: "[", count: 500_000),
    ])
    func invalidPagesAreRejected(text: String) {
        #expect(page(text) == nil)
        #expect(ServiceAnswer.comment(Array(text.utf8)) == nil && ServiceAnswer.error(Array(text.utf8)) == nil)
    }

    @Test func ofTenThousandCommentsTheFirstAreRead() throws {
        let many = (0..<10_000).map { #"{"id":"\#($0)","text":"t","at":"2026-01-01T00:00:00Z"}"# }.joined(
            separator: ",")
        #expect(page("{\"comments\":[\(many)]}")?.comments.count == 2_000)
        let answered = Self.whole.replacing("[]", with: "[\(many)]")
        #expect(page("{\"comments\":[\(answered),\(answered)]}")?.comments.count == 2_000)
    }

    @Test func aMegabyteOfErrorIsAShortLine() throws {
        let words = "no\\u001b[2J\u{202E} room\\n" + String(repeating: "words ", count: 170_000)
        let line = try #require(ServiceAnswer.error(Array("{\"error\":\"\(words)\"}".utf8)))
        #expect(line.hasPrefix("no\u{FFFD} room words ") && line.count <= 121, "\(line)")
    }

    /// A comment of the first version of the protocol, and one of this version.
    @Test func likesOfCommentsAreRead() throws {
        let old = #"{"id":"1","text":"hi","at":"2026-11-27T17:09:23Z","own":true,"replies":[]}"#
        let before = try #require(ServiceAnswer.comment(Array(old.utf8)))
        #expect(before.likes == nil && !before.isLiked && !before.isDeleted && before.isOwn)
        let new = #"{"id":"1","text":"x","at":"2026-11-27T17:09:23Z","likes":4,"liked":true,"deleted":true}"#
        let comment = try #require(ServiceAnswer.comment(Array(new.utf8)))
        #expect(comment.likes == 4 && comment.isLiked && comment.isDeleted)
        #expect(ServiceAnswer.likes(Array(#"{"status":"kept","likes":3}"#.utf8)) == 3)
        #expect(ServiceAnswer.likes(Array(#"{"status":"kept"}"#.utf8)) == nil)
    }
}
