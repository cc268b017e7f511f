import Bytes
import Foundation
import Model
import Platform
import TestSupport
import Testing

@testable import Feeds

@Suite struct FolderTests {
    let folder = TemporaryFolder()

    private func names(_ feed: Feed) -> [String] {
        (0..<feed.items.count).map { index in
            let path = String(decoding: FileURL.path(of: feed.items[index].url) ?? [], as: UTF8.self)
            return String(path.dropFirst(folder.path.count + 1))
        }
    }

    private func load(_ options: FeedOptions = FeedOptions()) throws -> Feed {
        try loadFeed(sources: [folder.path], options: options)
    }

    @Test func clipsComeInNaturalOrderFolderByFolder() throws {
        for name in ["b10.mp4", "B9.mp4", "a b/x.mp4", "a/2.webm", "a/10.webm", ".hidden/x.mp4", ".x.mp4", "notes.txt"]
        {
            try folder.write(name)
        }
        #expect(names(try load()) == ["a/2.webm", "a/10.webm", "a b/x.mp4", "B9.mp4", "b10.mp4"])
    }

    @Test func itemsAreMadeFromNames() throws {
        try folder.write("Night_market__2.final.mp4")
        let feed = try load()
        let item = feed.items[0]
        #expect(item.title == "Night market 2.final")
        #expect(item.id == ItemID.hash(of: item.url))
        #expect(feed.title == folder.path.split(separator: "/").last.map(String.init))
        #expect(feed.source == FileURL.url(path: folder.path.utf8))
    }

    @Test func hostileNamesLeadToTheirFiles() throws {
        let hostile = ["new\nline.mp4", "\u{1B}[2J.mp4", "🌅.mp4", "صباح الخير.mp4", "100%41.mp4", "a#b?c.mp4", "-.mp4"]
        for name in hostile { try folder.write(name, [42]) }
        let feed = try load()
        #expect(Set(names(feed)) == Set(hostile))
        for index in 0..<feed.items.count {
            let url = feed.items[index].url
            #expect(try FileProvider().readAll(url, limit: 10) == [42])
        }
    }

    @Test func namesThatAreNoUTF8LeadToTheirFiles() throws {
        let path = Array(folder.path.utf8) + [0x2F, 0xFF, 0xC3, 0x2E] + Array("mp4".utf8)
        let made = path.withCString { creat($0, 0o600) }
        try #require(made >= 0)
        close(made)
        let url = try load().items[0].url
        #expect(FileURL.path(of: url) == path)
        #expect(try FileProvider().open(url, for: url).length == 0)
    }

    /// ID3 or not, the first byte of an MP3 can be anything.
    @Test func mediaMayBeginLikeAManifest() throws {
        let path = try folder.write("song.mp3", Array("[1, 2]".utf8))
        #expect(try Source.parse(path, provider: FileProvider()) == .clip(FileURL.url(path: path.utf8)))
        let other = try folder.write("noname", Array("[Script Info]".utf8))
        #expect(try Source.parse(other, provider: FileProvider()) == .clip(FileURL.url(path: other.utf8)))
        for text in ["[]", "{}", " [\n\"a.mp4\"]", "[{\"url\": \"a\"}]", "{\"items\": []}", "{", "["] {
            let list = try folder.write("list", Array(text.utf8))
            #expect(try Source.parse(list, provider: FileProvider()) == .feed(FileURL.url(path: list.utf8)))
        }
    }

    @Test func cyclesOfLinksEnd() throws {
        try folder.write("a/x.mp4")
        try folder.link("a/up", to: "..")
        try folder.link("again", to: "a")
        try folder.link("dangling.mp4", to: "nowhere")
        #expect(names(try load()).count == 1)
    }

    @Test func linkedClipsAreClips() throws {
        let elsewhere = TemporaryFolder()
        try folder.link("l.mp4", to: try elsewhere.write("x.mp4"))
        #expect(names(try load()) == ["l.mp4"])
    }

    @Test func segmentsOfAStreamAreNotClips() throws {
        for name in ["master.m3u8", "0.m3u8", "0-0.ts", "0-1.ts", "other/x.ts"] { try folder.write(name) }
        #expect(names(try load()) == ["master.m3u8", "other/x.ts"])
    }

    @Test func theNewestComeFirstOnRequest() throws {
        for (name, time) in [("a.mp4", 10.0), ("b.mp4", 30.0), ("c.mp4", 20.0)] {
            let path = try folder.write(name)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: path)
        }
        #expect(names(try load(FeedOptions(order: .newest))) == ["b.mp4", "c.mp4", "a.mp4"])
    }

    @Test func aSeedShufflesTheSameWayEveryTime() throws {
        for number in 0..<50 { try folder.write("\(number).mp4") }
        let plain = names(try load())
        let shuffled = names(try load(FeedOptions(shuffle: 7)))
        #expect(shuffled != plain)
        #expect(Set(shuffled) == Set(plain))
        #expect(shuffled == names(try load(FeedOptions(shuffle: 7))))
        #expect(shuffled != names(try load(FeedOptions(shuffle: 8))))
    }

    @Test func aLimitCutsTheFeed() throws {
        for number in 0..<5 { try folder.write("\(number).mp4") }
        #expect(names(try load(FeedOptions(limit: 2))) == ["0.mp4", "1.mp4"])
    }

    @Test(arguments: ["a.xml", "a.m3u", "a.mp4", "a.json", "a.pls", "a"])
    func emptyFileIsAnError(name: String) throws {
        try folder.write(name, "".utf8)
        do {
            _ = try loadFeed(sources: [folder.path + "/" + name])
            Issue.record("an empty file was read")
        } catch {
            #expect("\(error)".hasSuffix("the file is empty"), "\(error)")
        }
    }

    @Test(arguments: [
        "m4b", "aif", "aiff", "amr", "weba", "wma", "spx", "ape", "caf", "ac3", "wv", "tta", "mpc", "au", "mk3d", "qt",
        "m2t", "hevc",
    ])
    func listsAllPlayableFiles(ending: String) throws {
        try folder.write("clip.\(ending.uppercased())")
        #expect(try names(load()) == ["clip.\(ending.uppercased())"])
        // An enclosure without a type is recognized by the same list.
        #expect(
            MediaKind(FeedMedia(url: "https://h/clip.\(ending)")) == (ClipTypes.sounds[ending] == nil ? .video : .audio)
        )
    }

    @Test func photosAreClips() throws {
        for name in ["a.jpg", "b.JPEG", "c.png", "d.webp", "e.avif", "f.tiff", "g.gif"] { try folder.write(name) }
        try folder.write("c.json", Array(#"{"title": "A photo"}"#.utf8))
        let feed = try load()
        #expect(names(feed) == ["a.jpg", "b.JPEG", "c.png", "d.webp", "e.avif", "f.tiff", "g.gif"])
        #expect((0..<7).map { feed.items[$0].thumbnail } == Array(repeating: nil, count: 7))
        #expect(feed.items[2].title == "A photo")
    }

    /// Images of a clip, or of an album.
    @Test func imagesOfOtherClipsAreNoPhotos() throws {
        for name in [
            "film.mp4", "film.jpg", "song.mp3", "song.mp3.png", "Cover.jpg", "folder.png", "other.jpg",
            "photos/cover.jpg", "photos/cover.png",
        ] { try folder.write(name) }
        let feed = try load()
        #expect(names(feed) == ["film.mp4", "other.jpg", "photos/cover.jpg", "photos/cover.png", "song.mp3"])
        #expect(feed.items[0].thumbnail?.hasSuffix("/film.jpg") == true)
    }

    @Test func foldersWithoutFilesOrClipsAreErrors() throws {
        let url = FileURL.url(path: folder.path.utf8)
        #expect(throws: FeedsError.emptyFolder(url)) { try load() }
        try folder.write("sub/notes.txt")
        #expect(throws: FeedsError.noMedia(url)) { try load() }
    }

    @Test(.timeLimit(.minutes(1)))
    func twentyThousandClipsAreListedFast() throws {
        for number in 0..<20_000 { try folder.write("clip_\(number).mp4") }
        let start = ContinuousClock.now
        let feed = try load()
        let taken = ContinuousClock.now - start
        #expect(feed.items.count == 20_000)
        #expect(names(try load(FeedOptions(limit: 3))) == ["clip_0.mp4", "clip_1.mp4", "clip_2.mp4"])
        // Generous for a debug build on a busy machine: the time must not be
        // quadratic, nor include a stat for each file.
        #expect(taken < .seconds(3))
        let list = try #require(feed.items as? PathList)
        #expect(list.names.count + 8 * list.count < 600_000)
    }
}

@Suite struct NaturalOrderTests {
    @Test func numbersCountByValue() {
        #expect(NaturalOrder.isBefore("clip 9", "clip 10"))
        #expect(NaturalOrder.isBefore("clip 09", "clip 10"))
        #expect(NaturalOrder.isBefore("v1.9", "v1.10"))
        #expect(NaturalOrder.isBefore("99999999999999999999998", "99999999999999999999999"))
        #expect(NaturalOrder.isBefore("apple", "Banana"))
        #expect(NaturalOrder.isBefore("a/z", "a b"))
        #expect(NaturalOrder.isBefore("a", "ab"))
    }

    /// Irreflexive, asymmetric, transitive and total, as `sort` requires, over names with difficult letters.
    @Test func theOrderIsStrict() {
        var random = SplitMix64(state: 1)
        let letters = Array("0129aAbB/ .-é")
        let names = (0..<120).map { _ in
            String((0..<Int.random(in: 0...5, using: &random)).map { _ in letters.randomElement(using: &random)! })
        }
        for a in names {
            for b in names {
                let (ab, ba) = (NaturalOrder.isBefore(a, b), NaturalOrder.isBefore(b, a))
                if (ab == ba) != (a == b) || (ab && ba) { Issue.record("\(a) and \(b) have no order") }
                guard ab else { continue }
                for c in names where NaturalOrder.isBefore(b, c) && !NaturalOrder.isBefore(a, c) {
                    Issue.record("\(a) < \(b) < \(c), but not \(a) < \(c)")
                }
            }
        }
    }
}
