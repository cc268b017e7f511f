import Model
import Testing

@testable import Feeds

@Suite struct HeaderTests {
    private func read(_ text: String) throws -> ReadManifest { try ReadManifest(Array(text.utf8)) }

    @Test func aFeedsHeadersApplyToAllItems() throws {
        for text in [
            #"{"headers": {"Referer": "https://r/"}, "items": ["a.mp4", {"url": "b.mp4", "headers": {"referer": "own"}}]}"#,
            #"{"items": ["a.mp4", {"url": "b.mp4", "headers": {"referer": "own"}}], "headers": {"Referer": "https://r/"}}"#,
        ] {
            #expect(try read(text).items.map(\.headers) == [["Referer": "https://r/"], ["referer": "own"]])
        }
    }

    @Test(arguments: ["Referer", "referer", "REFERER"])
    func anItemsHeaderTakesThePlaceOfTheFeedsHoweverEitherIsSpelt(name: String) {
        for common in ["Referer", "referer"] {
            #expect(FieldName.merge([name: "own"], over: [common: "feed"]) == [name: "own"])
        }
    }

    @Test(arguments: [
        (#"{"X Y": "1"}"#, "invalid header name"), (#"{"": "1"}"#, "invalid header name"),
        (#"{"a:": "1"}"#, "invalid header name"),
        (#"{"é": "1"}"#, "invalid header name"), (#"{"A\r\nB": "1"}"#, "invalid header name"),
        (#"{"A": "x\r\nHost: evil"}"#, "A contains control characters"),
        (#"{"A": "x\u0000"}"#, "A contains control characters"),
        (#"{"A": "\u007f"}"#, "A contains control characters"), (#"{"A": 3}"#, "A is not a string"),
        (#"{"Host": "evil"}"#, "Host cannot be set by a feed"),
        (#"{"RANGE": "bytes=0-"}"#, "RANGE cannot be set by a feed"),
        (#"{"content-length": "0"}"#, "content-length cannot be set by a feed"),
    ])
    func invalidHeadersAreLeftOut(headers: String, why: String) throws {
        let read = try read(#"[{"url": "a.mp4", "headers": \#(headers)}]"#)
        #expect(read.items.map(\.headers) == [[:]])
        #expect(read.warnings == ["item 0: a header is ignored: \(why)"])
    }

    @Test func tooManyOrTooLargeHeadersAreLeftOut() throws {
        let many = (0...32).map { "\"H\($0)\": \"1\"" }.joined(separator: ",")
        let large = "\"A\": \"\(String(repeating: "x", count: 9_000))\""
        for headers in [many, large] {
            let read = try read(#"[{"url": "a.mp4", "headers": {\#(headers)}}]"#)
            #expect(read.items[0].headers == [:])
            #expect(read.warnings.count == 1)
        }
    }

    @Test func credentialsAreNeverPrinted() {
        let item = Item(
            id: "1", url: "https://h/",
            headers: [
                "Authorization": "Bearer hidden", "cookie": "hidden", "X-Api-Key": "hidden", "Auth-Token": "hidden",
                "User-Agent": "shown",
            ])
        let line = ItemJSON.line(item, source: "s")
        #expect(!line.contains("hidden") && line.contains(#""headers":{"User-Agent":"shown"}"#))
    }
}
