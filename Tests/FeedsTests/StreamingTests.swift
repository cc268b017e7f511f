import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// However a manifest is split into pieces, and however it is damaged: the same items, and no trap.
@Suite struct StreamingTests {
    private func value(_ random: inout SeededRandom, depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 3 ? 7 : 9), using: &random) {
        case 0: ["null", "true", "false"].randomElement(using: &random) ?? "null"
        case 1: ["0", "-1", "12.5", "1e3", "1E-2", "123456789012"].randomElement(using: &random) ?? "0"
        case 2...6: text(&random)
        case 7:
            "["
                + (0..<Int.random(in: 0..<4, using: &random)).map { _ in value(&random, depth: depth + 1) }.joined(
                    separator: " , ") + "]"
        default: object(&random, depth: depth + 1)
        }
    }

    private func text(_ random: inout SeededRandom) -> String {
        let parts = [
            "a", "https://h/x.mp4", "\\n", "\\\"", "\\\\", "\\u00e9", "\\ud83c\\udf05", "\\ud800", "\\udc00", "é", "東",
            "\n", "/",
            "\\ud800\\ud83c\\udf05", "[", "}", ",",
        ]
        return "\""
            + (0..<Int.random(in: 0..<6, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
            .joined() + "\""
    }

    private func object(_ random: inout SeededRandom, depth: Int) -> String {
        let keys = ["url", "id", "title", "description", "tags", "stats", "likes", "headers", "x"].shuffled(
            using: &random)
        let fields = keys.prefix(Int.random(in: 0..<6, using: &random)).map {
            "\"\($0)\": " + value(&random, depth: depth + 1)
        }
        return "{" + fields.joined(separator: ",\r\n") + " }"
    }

    private func manifest(_ random: inout SeededRandom) -> String {
        let items =
            "["
            + (0..<Int.random(in: 0..<8, using: &random)).map { _ in value(&random, depth: 1) }.joined(separator: ",")
            + "]"
        if Bool.random(using: &random) { return items }
        var fields = [
            "\"items\": \(items)", "\"title\": \(value(&random, depth: 1))", "\"more\": \(value(&random, depth: 1))",
        ]
        fields.shuffle(using: &random)
        return "{\(fields.joined(separator: " , "))}"
    }

    /// Compares with Foundation's parser where both accept the text; it refuses lone surrogates.
    @Test func valuesEqualThoseOfAnotherParser() throws {
        var random = SeededRandom(state: 41)
        var compared = 0
        for _ in 0..<400 {
            let text = value(&random, depth: 0).replacing("\n", with: " ").replacing("\\ud800", with: "").replacing(
                "\\udc00", with: "")
            // Text that Foundation rejects is not compared.
            guard let theirs = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
            else { continue }
            compared += 1
            let ours = try parseJSON(Array(text.utf8), piece: Int.random(in: 1..<9, using: &random))
            #expect(same(ours, theirs), "\(text)")
        }
        #expect(compared > 300)
    }

    private func same(_ ours: JSON, _ theirs: Any) -> Bool {
        switch ours {
        case .null: return theirs is NSNull
        case .flag(let flag): return theirs as? Bool == flag
        case .number(let number): return theirs as? Double == number
        case .text(let text): return theirs as? String == text
        case .list(let values):
            guard let list = theirs as? [Any], list.count == values.count else { return false }
            return zip(values, list).allSatisfy { same($0, $1) }
        case .object(let fields):
            guard let object = theirs as? [String: Any], object.count == fields.count else { return false }
            return fields.allSatisfy { key, value in object[key].map { same(value, $0) } ?? false }
        }
    }

    @Test func thePiecesOfTheInputMakeNoDifference() throws {
        var random = SeededRandom(state: 17)
        var read = 0
        for round in 0..<600 {
            var bytes = Array(manifest(&random).utf8)
            if round % 3 == 1 { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))) }
            if round % 3 == 2, let place = bytes.indices.randomElement(using: &random) {
                bytes[place] = .random(in: 0...255, using: &random)
            }
            let whole = outcome(bytes, piece: 1 << 16)
            for piece in [1, 2, 7] {
                let parts = outcome(bytes, piece: piece)
                try #require(parts == whole, "\(String(decoding: bytes, as: UTF8.self))")
            }
            if !whole.items.isEmpty { read += 1 }
        }
        #expect(read > 50)
    }

    private struct Outcome: Equatable {
        var items: [Item] = []
        var title: String?
        var warnings: [String] = []
        var error: String?
    }

    private func outcome(_ bytes: [UInt8], piece: Int) -> Outcome {
        do {
            let read = try ReadManifest(bytes, piece: piece)
            return Outcome(items: read.items, title: read.title, warnings: read.warnings)
        } catch {
            return Outcome(error: "\(error)")
        }
    }

    @Test(arguments: [
        (#"["a.mp4", "b.mp4", "#, 2, "the rest is not JSON: line 1, column 20: it ends too early"),
        (#"{"items": ["a.mp4"], "x": tru}"#, 1, "the rest is not JSON: line 1, column 30: this is not JSON"),
        (
            "[\"a.mp4\",\n\"b.mp4\"] x", 2,
            "the rest is not JSON: line 2, column 10: unexpected text after the value"
        ),
    ])
    func itemsBeforeAnErrorStay(text: String, count: Int, warning: String) throws {
        let read = try ReadManifest(Array(text.utf8))
        #expect(read.items.count == count && read.warnings == [warning])
    }

    @Test func itemsOverridesVideosAndTheLastListCounts() throws {
        for text in [
            #"{"videos": ["v.mp4", 3], "items": ["a.mp4", "b.mp4"]}"#,
            #"{"items": ["a.mp4", "b.mp4"], "videos": ["v.mp4", 3]}"#,
            #"{"items": ["x.mp4", "a.mp4", 4], "items": ["a.mp4", "b.mp4"]}"#,
            #"{"items": null, "videos": ["a.mp4", "b.mp4"]}"#,
        ] {
            let read = try ReadManifest(Array(text.utf8))
            #expect(read.items.map(\.url) == ["file:///m/a.mp4", "file:///m/b.mp4"])
            // The ids of the list read before are forgotten, so that none counts as a repetition.
            #expect(read.warnings == [] && read.items.map(\.id) == read.items.map { ItemID.hash(of: $0.url) })
        }
        for text in [#"{"items": 3}"#, #"{"items": {}, "videos": ["a.mp4"]}"#, "3", "{}"] {
            #expect(throws: FeedsError.self) { _ = try ReadManifest(Array(text.utf8)) }
        }
    }

    @Test func anItemLargerThanTheLimitIsSkippedAndTheRestRead() throws {
        let large = String(repeating: "x", count: ManifestReader.valueLimit + (200 << 10))
        let nested = String(repeating: "[[],{}],", count: 200_000)
        let text =
            #"{"title": "\#(large)", "y": "\#(large)", "items": ["a.mp4", {"url": "l.mp4", "z": "\#(large)"}, [\#(nested)1], "b.mp4"]}"#
        let read = try ReadManifest(Array(text.utf8))
        #expect(read.items.map(\.url) == ["file:///m/a.mp4", "file:///m/b.mp4"])
        #expect(read.title == nil)
        #expect(read.warnings == [1, 2].map { "item \($0) is skipped: it is larger than 1 MB" })
    }

    @Test func warningsAreCountedBeyondTheFirst() throws {
        let read = try ReadManifest(Array("[\"a.mp4\"\(String(repeating: ",1", count: 5_000))]".utf8))
        #expect(read.warnings.count == FeedPage.warningLimit && read.manifest.skipped == 5_000)
        #expect(read.manifest.namedWarnings.last == "'/m/feed.json': and 4900 more")
    }

    /// A key has no separate limit, so only a part of it is stored.
    @Test func anEndlessKeyIsSkipped() throws {
        let key = String(repeating: "k", count: 1 << 20)
        let read = try ReadManifest(Array(#"{"\#(key)": 1, "items": ["a.mp4", "b.mp4"]}"#.utf8))
        #expect(read.items.map(\.url) == ["file:///m/a.mp4", "file:///m/b.mp4"])
        var parser = JSONParser(stream(Array(#"{"\#(key)": {"a": [1]}, "short": 2}"#.utf8)))
        var keys: [String] = []
        try parser.fields { parser, key throws(JSONError) in
            keys.append(key)
            try parser.skip()
        }
        #expect(keys == ["", "short"])
    }
}
