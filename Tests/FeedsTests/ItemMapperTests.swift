import Foundation
import Model
import Testing

@testable import Feeds

/// Entries of feeds as items.
@Suite struct ItemMapperTests {
    private let media = FeedMedia(url: "https://h.example/clips/night_market.mp4", type: "video/mp4")

    private func item(_ change: (inout FeedEntry) -> Void) throws -> Item {
        var entry = FeedEntry(media: [media])
        change(&entry)
        return try #require(ItemMapper.item(entry, need: MediaNeed()))
    }

    private func html(_ text: String) -> FeedEntry.Text { .init(text: text, isMarkup: true) }
    private func plain(_ text: String) -> FeedEntry.Text { .init(text: text, isMarkup: false) }

    @Test func everyFieldIsMapped() throws {
        let item = try item { entry in
            entry.id = " tag:h.example,1 "
            entry.title = html("Tom &amp; <b>Ann</b>")
            entry.description = html("<p>One</p><p>Two</p>")
            entry.link = "https://h.example/1"
            entry.published = Date(timeIntervalSince1970: 1_777_636_800)
            entry.updated = Date(timeIntervalSince1970: 1_777_736_800)
            entry.creator = .init(
                id: "c", name: " N ", avatar: "https://h.example/a.jpg", url: "javascript:alert(1)")
            entry.tags = ["#street", "food", "Food", " ", "#"]
            entry.duration = .seconds(9)
            entry.thumbnails = ["data:image/png;base64,x", "https://h.example/1.svg", "https://h.example/1.jpg"]
            entry.stats = .init(likes: 3)
        }
        let expected = Item(
            id: "tag:h.example,1", url: media.url, thumbnail: "https://h.example/1.jpg", title: "Tom & Ann",
            text: "One\n\nTwo", duration: .seconds(9), published: Date(timeIntervalSince1970: 1_777_636_800),
            creator: .init(id: "c", name: "N", avatar: "https://h.example/a.jpg"), tags: ["street", "food"],
            stats: .init(likes: 3), link: "https://h.example/1")
        #expect(item == expected)
    }

    @Test func missingFieldsGetDefaults() throws {
        let item = try item { _ in }
        #expect(item.id == ItemID.hash(of: media.url) && item.title == "night market" && item.text == nil)
        #expect(ItemMapper.item(FeedEntry(title: plain("T")), need: MediaNeed()) == nil)
    }

    @Test(
        arguments: [
            ("<p>Hello there</p>", "Hello there", nil),
            ("<p>Hello there</p><p>More</p>", "Hello there", "Hello there\n\nMore"),
            (
                String(repeating: "x", count: 101), String(repeating: "x", count: 100) + "…",
                String(repeating: "x", count: 101)
            ),
            ("<img src=x>", "night market", nil),
        ] as [(String, String, String?)])
    func entryWithoutATitleIsNamedByItsFirstLine(html: String, title: String, text: String?) throws {
        let item = try item { $0.description = self.html(html) }
        #expect(item.title == title && item.text == text)
    }

    @Test func titlesOfTagsAreShownAsTheyAre() throws {
        #expect(try item { $0.title = html("<video>") }.title == "<video>")
        #expect(try item { $0.title = plain("a <b> &amp; c") }.title == "a <b> &amp; c")
        #expect(try item { $0.title = html("<script>alert(1)</script>") }.title == "<script>alert(1)</script>")
    }

    @Test func imageOnlyTitleIsIgnored() throws {
        let picture = html("<img src=\"https://h/a.gif\" alt=\"a\">")
        #expect(try item { $0.title = picture }.title == "night market")
        let described = try item { ($0.title, $0.description) = (picture, plain("Lanterns")) }
        #expect(described.title == "Lanterns")
    }

    @Test func aTextThatIsTheTitleIsNotRepeated() throws {
        let item = try item {
            $0.title = plain("Same")
            $0.description = html("<p>Same</p>")
        }
        #expect(item.title == "Same" && item.text == nil)
    }

    @Test func everythingIsAsLongAsAManifestMayHaveIt() throws {
        let long = String(repeating: "é", count: 50_000)
        let item = try item { entry in
            entry.id = long
            entry.title = html(long)
            entry.description = plain(long)
            entry.link = "https://h.example/" + long
            entry.creator = .init(name: long)
            entry.tags = (0..<500).map { "\($0)" + long }
        }
        #expect(item.id.count == ItemLimit.word && item.title?.count == ItemLimit.title)
        #expect(item.text?.count == ItemLimit.text && item.link == nil)
        #expect(item.creator?.name?.count == ItemLimit.word)
        #expect(item.tags.count == ItemLimit.list && item.tags.allSatisfy { $0.count <= ItemLimit.word })
    }

    @Test func invalidFieldsAreDropped() throws {
        let item = try item { entry in
            entry.published = Date(timeIntervalSince1970: -62_167_219_200)
            entry.updated = Date(timeIntervalSince1970: 1_000)
            entry.duration = .seconds(-3)
            entry.creator = .init(name: " ")
            entry.id = " "
        }
        #expect(item.published == Date(timeIntervalSince1970: 1_000) && item.duration == nil && item.creator == nil)
        #expect(item.id == ItemID.hash(of: media.url))
        #expect(try self.item { $0.updated = Date(timeIntervalSince1970: 1e13) }.published == nil)
    }

    @Test func theMediasDurationAndPicturesCount() throws {
        let item = try item { entry in
            entry.duration = .seconds(9)
            entry.media[0].duration = .seconds(8)
            entry.media.append(FeedMedia(url: "https://h.example/t", type: "image/gif", width: 1, height: 1))
            entry.media.append(FeedMedia(url: "https://h.example/p", type: "image/jpeg"))
        }
        #expect(item.duration == .seconds(8) && item.thumbnail == "https://h.example/p")
        // A picture that is the item itself is not its still, too.
        let picture = FeedEntry(media: [FeedMedia(url: "https://h.example/p", type: "image/jpeg")])
        #expect(ItemMapper.item(picture, need: MediaNeed())?.thumbnail == nil)
    }
}
