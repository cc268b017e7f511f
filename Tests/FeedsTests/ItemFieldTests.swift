import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// A field of items has its place in the manifest, sidecars, the printed line, the spool and the documentation. A test
/// here names what lacks a new one.
@Suite struct ItemFieldTests {
    private static let manifest = """
        [{"id": "v1", "url": "https://h/v.mp4", "thumbnail": "https://h/v1.jpg", "blurhash": "LEHV6n", "title": "T",
          "description": "D", "duration": 21.4, "published": "2026-05-01T12:00:00Z",
          "creator": {"name": "N", "avatar": "https://h/n.jpg", "url": "https://h/n"}, "tags": ["street"],
          "sound": {"title": "S"}, "trust": {"score": 82, "label": "L", "reasons": ["r"]}, "stats": {"likes": 1},
          "subtitles": [{"url": "https://h/v.vtt"}], "chapters": [{"start": 0, "title": "C"}],
          "chapters_url": "https://h/c.json", "comments_url": "https://h/d.json", "link": "https://h/v1", "own": true,
          "sensitive": true, "warning": "W", "headers": {"Referer": "https://h/"}}]
        """

    /// What the manifest above says.
    private func item() throws -> Item {
        try #require(try ReadManifest(Array(Self.manifest.utf8), at: "https://h/feed.json").items.first)
    }

    /// The properties that differ between two items.
    private func changes(_ one: Item, _ other: Item) -> [String] {
        func properties(_ item: Item) -> [String: String] {
            Dictionary(
                uniqueKeysWithValues: Mirror(reflecting: item).children.map { ($0.label ?? "", "\($0.value)") })
        }
        let (these, those) = (properties(one), properties(other))
        return these.keys.filter { these[$0] != those[$0] }
    }

    /// All properties of an item.
    private let all = Set(Mirror(reflecting: Item(id: "", url: "")).children.compactMap(\.label))

    @Test func manifestSetsEveryProperty() throws {
        let missing = all.subtracting(changes(try item(), Item(id: "", url: "")))
        // A folder of files has no manifest; the list of the feed sets `feed`, and a resolver of flick's own itself.
        #expect(missing == ["feed", "folder", "resolver"], "ItemReader does not set these")
    }

    @Test func sidecarSetsEveryPropertyButThoseOfItsClip() throws {
        let clip = Item(id: "a", url: "file:///a.mp4")
        var item = clip
        let object = Self.manifest.dropFirst().dropLast()
        try Sidecar(Array(object.utf8), kind: .item, beside: "https://h/a.mp4").apply(to: &item)
        let missing = all.subtracting(changes(item, clip))
        #expect(
            missing == ["id", "url", "own", "headers", "feed", "folder", "resolver"], "Sidecar.apply does not set these"
        )
    }

    /// `flick serve` does not know yet where the clip will be.
    @Test func sidecarWithoutAClipHasNoRelativeAddresses() throws {
        let clip = Item(id: "a", url: "https://h/a.mp4")
        var item = clip
        let object = Self.manifest.dropFirst().dropLast().replacing("https://h/", with: "media/")
        try Sidecar(Array(object.utf8), kind: .item).apply(to: &item)
        #expect(item.creator?.name == "N" && item.chapters.count == 1)
        #expect(!ItemJSON.object(item).object.contains("media/"))
    }

    @Test func printedItemHasEveryField() throws {
        let item = try item()
        let line = ItemJSON.object(item).object
        guard case .object(let fields) = try parseJSON(Array(line.utf8)) else {
            Issue.record("no object")
            return
        }
        #expect(Set(fields.keys).symmetricDifference(ItemField.allCases.map(\.rawValue)) == [])
        #expect(try ReadManifest(Array("[\(line)]".utf8), at: "https://h/feed.json").items == [item])
    }

    @Test func spoolKeepsEveryField() throws {
        let item = try item()
        var bytes: [UInt8] = []
        ItemCode.append(item, to: &bytes)
        #expect(ItemCode.items(bytes) == [item])
    }

    @Test func theDocumentationNamesEveryField() throws {
        let page = try String(
            contentsOf: FlickBinary.root.appendingPathComponent("docs/user/manifest.md"), encoding: .utf8)
        let missing = ItemField.allNames.filter { !page.contains("`\($0)`") }
        #expect(missing == [], "docs/user/manifest.md does not name these")
    }

    @Test func theServicesDescriptionHasEveryField() throws {
        let file = try Data(contentsOf: FlickBinary.root.appendingPathComponent("docs/openapi.json"))
        let item = try parseJSON(Array(file))["components"]?["schemas"]?["Item"]?["properties"]
        guard case .object(let fields)? = item else {
            Issue.record("no schema of items")
            return
        }
        let difference = Set(fields.keys).symmetricDifference(ItemField.allCases.map(\.rawValue))
        #expect(difference == [], "docs/openapi.json does not describe these")
    }
}
