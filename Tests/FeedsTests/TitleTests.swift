import Bytes
import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// Titles of clips and feeds that bring none.
@Suite struct TitleTests {
    @Test(arguments: [
        // Separators.
        ("Night_market__2.final.mp4", "Night market 2.final"), ("night-market.mp4", "night market"),
        ("Night market - day two.mp4", "Night market - day two"),
        ("tram_28 at-the-corner.MKV", "tram 28 at-the-corner"),
        ("The.Lookout.mp4", "The Lookout"), ("well-known_face.mp4", "well-known face"), ("-a-.mp4", "a"),
        ("__a__.mp4", "a"), ("a..b.mp4", "a b"), ("Dr. No.mp4", "Dr. No"), ("Wait....mp4", "Wait"),
        // Numbers stay readable.
        ("S01E02.The.Lookout.mp4", "S01E02 The Lookout"), ("S01E02.1080p.mkv", "S01E02 1080p"),
        ("v1.2.3-beta.mp4", "v1.2.3-beta"), ("v1.2.release.mp4", "v1.2 release"), ("10.5mm.webm", "10.5mm"),
        ("2024-05-01.mp4", "2024-05-01"), ("2024-05-01-market.mp4", "2024-05-01 market"), ("clip-1.mp4", "clip 1"),
        ("1.mp4", "1"),
        // Cameras.
        ("IMG_20240501_123456.mp4", "2024-05-01 12:34:56"), ("VID-20240501-WA0003.mp4", "2024-05-01 WA0003"),
        ("20240501_123456.mp4", "2024-05-01 12:34:56"), ("PXL_20240501_123456789.mp4", "2024-05-01 12:34:56"),
        ("Screenshot_20240501-123456_Chrome.mp4", "Screenshot 2024-05-01 12:34:56 Chrome"),
        ("20240501-123456.mp4", "2024-05-01 12:34:56"), ("IMG_1234.MOV", "IMG 1234"), ("DSC00042.avi", "DSC00042"),
        ("IMG_20241301_123456.mp4", "IMG 20241301 123456"), ("IMG_20240501_993456.mp4", "2024-05-01 993456"),
        ("party_20240501.mp4", "party 2024-05-01"), ("12345678.mp4", "12345678"),
        // Codes of downloads, and words in brackets.
        ("Tram 28 [dQw4w9WgXcQ].webm", "Tram 28"), ("Film [Directorcut].mp4", "Film [Directorcut]"),
        ("[dQw4w9WgXcQ].webm", "[dQw4w9WgXcQ]"),
        // Extensions.
        ("Vol.2", "Vol 2"), ("archive.tar.mp4", "archive tar"), ("noextension", "noextension"), ("Mr.Bean", "Mr Bean"),
        ("a.mp4.mp4", "a mp4"),
        // Nothing to read is shown as it is.
        ("___.mp4", "___"), ("-.mp4", "-"), ("...mp4", ".."),
        // Other letters.
        ("東京_の夜.mp4", "東京 の夜"), ("e\u{301}tude.mp4", "e\u{301}tude"), ("٢٠٢٤٠٥٠١.mp4", "٢٠٢٤٠٥٠١"),
    ])
    func namesOfFilesAreRead(_ name: String, _ title: String) {
        #expect(ClipTitle.of(path: Array("/clips/\(name)".utf8)) == title)
        #expect(ClipTitle.of("https://h.example/clips/\(PercentEncoding.encoded(name))") == title, "remote")
    }

    @Test(arguments: [
        ("https://h.example/v/Night%20market.mp4?token=a_b#t=3", "Night market"),
        ("https://h.example/aurora/master.m3u8", "aurora"), ("https://h.example/master.m3u8", "h.example"),
        ("https://h.example/aurora/INDEX.mpd", "aurora"), ("https://h.example/main.mp4", "main"),
        ("https://www.h.example/", "h.example"), ("https://me:secret@h.example:8080", "h.example"),
        ("http://[::1]:80/", "[::1]"), ("https://h.example/a%2Fb.mp4", "a/b"), ("https://h.example/%", "%"),
        ("file:///clips/plain%20name.mp4", "plain name"), ("file:///clips/abyss/master.m3u8", "abyss"),
        ("file:///", ""),
    ])
    func addressesAreReadAsFilesAre(_ url: String, _ title: String) { #expect(ClipTitle.of(url) == title) }

    @Test func titleOfAnyNameIsShort() {
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "/") {
            let path = Array("/clips/".utf8) + [UInt8](repeating: byte, count: 5_000) + Array(".mp4".utf8)
            #expect(ClipTitle.of(path: path).unicodeScalars.count <= 1_200, "\(byte)")
        }
        // Control characters are the display's concern, and no separators.
        #expect(ClipTitle.of(path: Array("/a\u{1B}[31m_b\u{202E}.mp4".utf8)) == "a\u{1B}[31m b\u{202E}")
        #expect(ClipTitle.of("https://h.example/a%00b%FF.mp4") == "a\0b\u{FFFD}")
        var random = SeededRandom(state: 7)
        for _ in 0..<2_000 {
            let name = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                "_-. 019aZ[]T/%".utf8.randomElement(using: &random)!  // The text is not empty.
            }
            let path = Array("/".utf8) + name
            #expect(ClipTitle.of(path: path).utf8.count <= path.count + 8)
            _ = ClipTitle.of("https://h.example/" + String(decoding: name, as: UTF8.self))
        }
    }

    // MARK: Feeds

    private let folder = TemporaryFolder()
    private var name: String { String(folder.path.split(separator: "/").last ?? "") }

    private func load(_ sources: String...) throws -> Feed { try loadFeed(sources: sources) }

    @Test func aFolderNamesTheFeedAndItsFoldersTheClips() throws {
        for name in ["Lisbon/Old town/tram_28.mp4", "a_b.mp4", "Lisbon/abyss/master.m3u8"] { try folder.write(name) }
        let feed = try load(folder.path)
        #expect(feed.title == name)
        let items = (0..<feed.items.count).map { feed.items[$0] }
        #expect(items.map(\.title) == ["a b", "abyss", "tram 28"])
        #expect(items.map(\.folder) == [nil, "Lisbon", "Old town"])
    }

    @Test func clipsOfOneFolderGetItsNameAsTitle() throws {
        for name in ["one/a.mp4", "one/b.mp4", "two/c.mp4"] { try folder.write(name, "x".utf8) }
        func path(_ name: String) -> String { folder.path + "/" + name }
        let one = try load(path("one/a.mp4"), path("one/b.mp4"))
        #expect(one.title == "one" && one.items[0].folder == nil)
        let both = try load(path("one/a.mp4"), path("two/c.mp4"))
        #expect(both.title == "one, two" && both.items[0].folder == "one" && both.items[1].folder == "two")
    }

    @Test func aManifestWithoutATitleIsCalledAsItsFile() throws {
        let bytes = Array("[\"sub/take_1.mp4\", \"https://h.example/v/master.m3u8\"]".utf8)
        let harbour = try folder.write("Harbour_lights.json", bytes)
        let vague = try folder.write("feed.json", bytes)
        #expect(try load(harbour).title == "Harbour lights")
        #expect(try load(vague).title == name)
        let items = try load(vague).items
        #expect(items[0].title == "take 1" && items[1].title == "v" && items[0].folder == nil)
    }

    @Test func manySourcesAreNamedInTurn() throws {
        for name in ["a", "b", "c", "d"] { try folder.write("\(name)/1.mp4") }
        let paths = ["a", "b", "c", "d"].map { folder.path + "/" + $0 }
        #expect(try loadFeed(sources: Array(paths.prefix(2))).title == "a, b")
        #expect(try loadFeed(sources: paths).title == "a, b, c, …")
    }
}
