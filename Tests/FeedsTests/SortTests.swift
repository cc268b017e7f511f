import Bytes
import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// `--sort name|newest|oldest`.
@Suite struct SortTests {
    private let folder = TemporaryFolder()

    private func write(_ name: String, changed: Double) throws {
        let path = try folder.write(name)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: changed)], ofItemAtPath: path)
    }

    private func names(_ items: any ItemList) -> [String] {
        (0..<items.count).map { index in
            String(items[index].url.split(separator: "/").last ?? "")
        }
    }

    private func sorted(_ order: FeedOptions.Order?, _ sources: [String], limit: Int? = nil) throws -> [String] {
        names(try loadFeed(sources: sources, options: FeedOptions(order: order, limit: limit)).items)
    }

    @Test func filesAreSortedByModificationTime() throws {
        for (name, time) in [("a.mp4", 10.25), ("sub/b.mp4", 30), ("c.mp4", 10.5), ("d.mp4", 10.25)] {
            try write(name, changed: time)
        }
        #expect(try sorted(.newest, [folder.path]) == ["b.mp4", "c.mp4", "a.mp4", "d.mp4"])
        #expect(try sorted(.oldest, [folder.path]) == ["a.mp4", "d.mp4", "c.mp4", "b.mp4"])
        #expect(try sorted(.newest, [folder.path], limit: 2) == ["b.mp4", "c.mp4"])
        #expect(try sorted(nil, [folder.path]) == ["a.mp4", "c.mp4", "d.mp4", "b.mp4"])
    }

    @Test func namesAreSortedAsPeopleCountAcrossSources() throws {
        for name in ["one/clip 10.mp4", "one/clip 9.mp4", "two/Clip 1.mp4", "two/aa.mp4"] {
            try write(name, changed: 1)
        }
        let sources = [folder.path + "/two", folder.path + "/one"]
        #expect(
            try sorted(.name, sources) == ["aa.mp4", "Clip%201.mp4", "clip%209.mp4", "clip%2010.mp4"])
        #expect(
            try sorted(nil, sources)
                == ["aa.mp4", "Clip%201.mp4", "clip%209.mp4", "clip%2010.mp4"].sorted(by: {
                    ($0.hasPrefix("clip") ? 1 : 0) < ($1.hasPrefix("clip") ? 1 : 0)
                }))
    }

    private static let manifest = """
        {"items": [{"url": "b.mp4", "published": "2026-01-02T00:00:00Z", "title": "Beta 2"},
        {"url": "none.mp4", "title": "Alpha"},
        {"url": "c.mp4", "published": "2026-03-02T00:00:00Z", "title": "beta 10"},
        {"url": "a.mp4", "published": "2025-01-02T00:00:00Z", "title": "zeta"}], "next": "more.json"}
        """

    private static let provider = ScriptedProvider([
        "https://h/f.json": manifest,
        "https://h/more.json": """
        [{"url": "e.mp4", "published": "2024-01-02T00:00:00Z"},
        {"url": "f.mp4", "published": "2027-01-02T00:00:00Z"}]
        """,
    ])

    @Test(arguments: [
        (FeedOptions.Order.newest, ["c.mp4", "b.mp4", "a.mp4", "none.mp4"], ["f.mp4", "e.mp4"]),
        (.oldest, ["a.mp4", "b.mp4", "c.mp4", "none.mp4"], ["e.mp4", "f.mp4"]),
        (.name, ["none.mp4", "b.mp4", "c.mp4", "a.mp4"], ["e.mp4", "f.mp4"]),
    ])
    func manifestsAreSortedByDateOrTitleAndFurtherPagesSeparately(
        order: FeedOptions.Order, first: [String], more: [String]
    ) throws {
        let feed = try loadFeed(
            sources: ["https://h/f.json"], provider: Self.provider, options: FeedOptions(order: order))
        #expect(names(feed.items) == first)
        let page = try #require(try feed.pages?.load())
        #expect(names(page.items) == first + more)
    }

    @Test func aShuffleOverridesAnOrder() throws {
        for number in 0..<40 { try write("\(number).mp4", changed: Double(number)) }
        let both = try loadFeed(sources: [folder.path], options: FeedOptions(shuffle: 7, order: .newest))
        let shuffled = try loadFeed(sources: [folder.path], options: FeedOptions(shuffle: 7))
        #expect(names(both.items) == names(shuffled.items))
    }

    @Test func aMissingFileComesLast() throws {
        try write("a.mp4", changed: 5)
        let list = [Item(id: "x", url: FileURL.url(path: Array("\(folder.path)/gone.mp4".utf8)))]
        let there = [Item(id: "y", url: FileURL.url(path: Array("\(folder.path)/a.mp4".utf8)))]
        for order in [FeedOptions.Order.newest, .oldest] {
            let arranged = ArrangedList([list, there], shuffle: nil, order: order, limit: nil)
            #expect((0..<2).map { arranged[$0].id } == ["y", "x"])
        }
    }
}
