import Bytes
import Feeds
import Foundation
import HTTP
import Model
import Player
import Synchronization
import TestSupport
import Testing
import Threads
import Wire

@testable import App
@testable import UI

/// Clips that are saved as files, from a server and from the disk.
@Suite(.timeLimit(.minutes(2))) struct SavedClipTests {
    private let server: FaultyServer
    private let folder = TemporaryFolder()

    init() throws { server = try FaultyServer() }

    /// The folder in which clips are saved.
    private var saved: String { folder.path + "/saved" }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: saved).sorted() }

    private func provider(cached: Bool = false) throws -> CachedProvider {
        let setup = try Setup(
            config: folder.write("config.toml", "".utf8), cacheFolder: folder.path + "/cache", keepsCache: cached)
        return setup.provider(nil, notice: { _ in })
    }

    private func item(_ path: String, title: String? = "Night market", creator: String? = "Mira Okafor") -> Item {
        Item(
            id: "a", url: server.url(path), title: title,
            creator: creator.map { Item.Creator(id: "c7", name: $0, avatar: server.url("/mira.jpg")) })
    }

    private func clip(_ item: Item, duration: Duration? = .seconds(12), container: String? = nil) -> SavedClip {
        SavedClip(item: item, duration: duration, container: container, folder: .videos)
    }

    /// Saves the clip; nil: it was cancelled. Returns the path.
    @discardableResult
    private func save(
        _ clip: SavedClip, _ provider: any ByteProvider, _ cancellation: Cancellation = Cancellation(),
        progress: @escaping @Sendable (Int64, Int64?) -> Void = { _, _ in }
    ) async throws -> SavedClip.Outcome? {
        try folder.folder("saved")
        return try await onThread { [saved] in
            try clip.write(
                to: saved, decoderPath: { FlickBinary.sibling("flick-decoder") }, provider: provider,
                retention: .home, cancellation: cancellation, progress: progress)
        }
    }

    private func why(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: "\(saved)/\(name)") }

    /// A folder shows what flick saves in it.
    @Test func savedClipIsReadBackWithItsTitleCreatorAndSubtitles() async throws {
        let recipe = try Data(contentsOf: URL(fileURLWithPath: TestClips.path(TestClips.portrait)))
        server.serve("/clip.mp4", Array(recipe))
        server.serve("/en.vtt", Array("WEBVTT\n\n00:00.000 --> 00:01.000\nhello\n".utf8))
        server.serve("/de.srt", Array("1\n00:00:00,000 --> 00:00:01,000\nhallo\n".utf8))
        var item = item("/clip.mp4")
        item.captions = [
            CaptionLink(url: server.url("/en.vtt"), language: "en"),
            CaptionLink(url: server.url("/de.srt"), language: "de", title: "../Deutsch"),
        ]
        item.trust = Item.Trust(score: 82, label: "Verified source", reasons: ["Signed"])
        item.link = "https://user:secret@example.org/v1?token=abc&page=2"
        let provider = try provider()
        let outcome = try await save(clip(item), provider)
        #expect(outcome?.path == "\(saved)/Night market - Mira Okafor.mp4" && outcome?.missing == nil)
        #expect(
            try files() == ["de.srt", "en.vtt", "json", "mp4"].map { "Night market - Mira Okafor.\($0)" }.sorted())
        #expect(bytes("Night market - Mira Okafor.mp4") == recipe)
        server.stop()
        let feed = try loadFeed(sources: [saved])
        #expect(feed.items.count == 1)
        let read = feed.items[0]
        #expect(read.title == "Night market" && read.creator == Item.Creator(id: "c7", name: "Mira Okafor"))
        #expect(read.trust == item.trust && read.link == "https://example.org/v1?page=2")
        #expect(read.captions.compactMap(\.language).sorted() == ["de", "en"])
        #expect(read.thumbnail == nil)
        provider.close()
    }

    @Test func nothingIsWrittenOver() async throws {
        server.serve("/clip.mp4", Array(1...200))
        try folder.write("saved/Night market - Mira Okafor.json", "mine".utf8)
        let provider = try provider()
        let paths = [
            try await save(clip(item("/clip.mp4")), provider)?.path,
            try await save(clip(item("/clip.mp4")), provider)?.path,
        ]
        let stem = "\(saved)/Night market - Mira Okafor"
        #expect(paths == [stem + " (2).mp4", stem + " (3).mp4"])
        #expect(bytes("Night market - Mira Okafor.json") == Data("mine".utf8))
        provider.close()
    }

    @Test func cachedClipNeedsNoServer() async throws {
        let clipBytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        server.serve("/clip.mp4", clipBytes)
        let provider = try provider(cached: true)
        let item = item("/clip.mp4")
        let whole = await onThread { provider.fetchWhole(Asset(item, retention: .home), room: 1 << 30) }
        #expect(whole == .whole(bytes: 3_000_000, fetched: 3_000_000))
        server.stop()
        try await save(clip(item), provider)
        #expect(bytes("Night market - Mira Okafor.mp4") == Data(clipBytes))
        provider.close()
    }

    @Test func cancelledClipLeavesNothing() async throws {
        server.link = FaultyServer.Link(rate: 300_000)
        server.serve("/clip.mp4", Resource(.pattern(length: 8 << 20, seed: 1)))
        let provider = try provider()
        let cancellation = Cancellation()
        let outcome = try await save(clip(item("/clip.mp4")), provider, cancellation) { bytes, length in
            if bytes > 100_000 { cancellation.cancel() }
            #expect(length == 8 << 20)
        }
        #expect(outcome == nil)
        #expect(try files().isEmpty)
        provider.close()
    }

    @Test func clipThatCannotBeReadWholeLeavesNothing() async throws {
        server.serve("/gone.mp4", Resource(.pattern(length: 4 << 20, seed: 1), faults: [.status(404)]))
        let provider = try provider()
        let why = await why { try await save(clip(item("/gone.mp4")), provider) }
        #expect(why?.contains("404") == true)
        #expect(try files().isEmpty)
        provider.close()
    }

    /// Has fewer bytes than it says, like a file that is truncated while it is copied.
    private final class Shortened: ByteProvider, ByteSource {
        let (url, isSeekable, length): (String, Bool, Int64?) = ("https://example.org/clip.mp4", true, 200)

        func open(_ request: ByteRequest, cancellation: Cancellation) -> any ByteSource { self }

        func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation) -> Int {
            let part = [UInt8](repeating: 7, count: 100).dropFirst(Int(offset)).prefix(buffer.count)
            buffer.copyBytes(from: part)
            return part.count
        }
    }

    @Test func clipThatBecomesShorterLeavesNothing() async throws {
        let why = await why { try await save(clip(item("/clip.mp4")), Shortened()) }
        #expect(why == "the file was truncated while copying")
        #expect(try files().isEmpty)
    }

    /// What a saved file has, as its decoder says.
    private func info(ofSaved name: String) async throws -> MediaInfo {
        let url = FileURL.url(path: "\(saved)/\(name)".utf8)
        return try await onThread {
            let decode = try LinearDecode(
                url: url, pictures: nil, start: .zero, decoderPath: FlickBinary.sibling("flick-decoder"),
                bytes: MediaBytes(local: FileProvider()))
            while true { if case .opened(let info) = try decode.next() { return info } }
        }
    }

    /// Serves the demo's stream, without some of its files.
    private func serveStream(without missing: String...) throws {
        let folder = FlickBinary.demo + "/abyss"
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !missing.contains(name) {
            server.serve("/abyss/\(name)", Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))))
        }
    }

    /// The variant with the most pixels, or the one that was chosen.
    @Test(arguments: [(nil, 1_280), (1, 960)] as [(Int?, UInt32)])
    func segmentedStreamBecomesOneFile(variant: Int?, height: UInt32) async throws {
        try serveStream()
        let provider = try provider()
        // Nothing says yet how long it is.
        var clip = clip(item("/abyss/master.m3u8"), duration: nil, container: "hls")
        clip.choice = Remux.Choice(variant: variant, languages: ["de"])
        let outcome = try await save(clip, provider)
        #expect(outcome?.path == "\(saved)/Night market - Mira Okafor.mp4" && outcome?.missing == nil)
        #expect(try files() == ["json", "mp4"].map { "Night market - Mira Okafor.\($0)" })
        let info = try await info(ofSaved: "Night market - Mira Okafor.mp4")
        #expect(info.displayHeight == height && info.isSeekable && info.hasAudio)
        #expect(abs(info.duration - 12_000_000) < 100_000)
        provider.close()
    }

    @Test func streamInTheFolderForMusicHasTheEndingOfMusic() async throws {
        try serveStream()
        let provider = try provider()
        let stream = SavedClip(item: item("/abyss/master.m3u8"), duration: nil, container: "hls", folder: .music)
        let outcome = try await save(stream, provider)
        #expect(outcome?.path == "\(saved)/Night market - Mira Okafor.m4a")
        provider.close()
    }

    @Test(arguments: [
        ("#EXTM3U\n#EXT-X-ENDLIST\n", "its playlist has no segments"),
        ("<?xml version=\"1.0\"?><MPD type=\"static\"></MPD>", "its manifest"),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n/abyss/0-0.ts\n", "it is a live stream"),
    ])
    func streamWithoutAnEndOrSegmentsLeavesNothing(text: String, why: String) async throws {
        try serveStream()
        server.serve("/clip", Resource(.bytes(Array(text.utf8)), type: "application/octet-stream"))
        let provider = try provider()
        let refusal = await self.why { try await save(clip(item("/clip")), provider) }
        #expect(refusal?.hasPrefix(why) == true, "\(refusal ?? "saved")")
        #expect(try files().isEmpty)
        provider.close()
    }

    /// No other variant takes the place of what is missing.
    @Test(arguments: ["2-1.ts", "2.m3u8"]) func streamWithAPartMissingLeavesNothing(missing: String) async throws {
        try serveStream(without: missing)
        let provider = try provider()
        let why = await why { try await save(clip(item("/abyss/master.m3u8"), container: "hls"), provider) }
        #expect(why?.contains("404") == true, "\(why ?? "saved")")
        #expect(try files().isEmpty)
        provider.close()
    }

    @Test func segmentedStreamIsCancelled() async throws {
        server.link = FaultyServer.Link(rate: 50_000)
        try serveStream()
        let (provider, inbox) = (try provider(), try Inbox<LoopMessage>())
        let session = try session(provider, inbox)
        let clip = clip(item("/abyss/master.m3u8"), container: "hls")
        _ = session.toggle(clip, retention: .home)
        #expect(server.waitUntil { $0.bodyBytes > 30_000 })
        #expect(session.toggle(clip, retention: .home).isEmpty)
        #expect(holds(within: .seconds(5)) { session.isIdle })
        #expect(posted(inbox) == ["ended a", "Saving cancelled"])
        #expect(try files().isEmpty)
        provider.close()
    }

    @Test func liveStreamsAreRefused() async throws {
        server.link = FaultyServer.Link(rate: 200_000)
        server.serve(
            "/radio", Resource(.pattern(length: 8 << 20, seed: 1), type: "audio/mpeg", faults: [.noLength, .noRanges]))
        let provider = try provider()
        let why = await why { try await save(clip(item("/radio"), duration: nil), provider) }
        #expect(why == "it is a live stream")
        provider.close()
    }

    /// Its duration says that it has an end.
    @Test func clipOfUnknownLengthIsSavedWhole() async throws {
        let clipBytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        server.serve("/clip.mp4", clipBytes, faults: [.noLength, .noRanges])
        let provider = try provider()
        try await save(clip(item("/clip.mp4")), provider)
        #expect(bytes("Night market - Mira Okafor.mp4") == Data(clipBytes))
        provider.close()
    }

    @Test func clipThatIsLargerThanTheDiskIsNotBegun() async throws {
        server.serve("/clip.mp4", Resource(.pattern(length: 1 << 50, seed: 1)))
        let provider = try provider()
        let why = await why { try await save(clip(item("/clip.mp4")), provider) }
        #expect(why?.hasPrefix("it needs 1024 TB, and the disk has room for ") == true, "\(why ?? "")")
        #expect(try files().isEmpty)
        provider.close()
    }

    @Test func fileIsCopied() async throws {
        let path = try TestClips.path(TestClips.landscape)
        var file = item("/")
        file.url = FileURL.url(path: path.utf8)
        try await save(clip(file), FileProvider())
        #expect(bytes("Night market - Mira Okafor.mp4") == FileManager.default.contents(atPath: path))
        let description = bytes("Night market - Mira Okafor.json").map { String(decoding: $0, as: UTF8.self) }
        #expect(description?.contains("coded-landscape") == false)
    }

    /// Not even where the system copies files by itself.
    @Test func deviceIsNoClip() async throws {
        var file = item("/")
        file.url = "file:///dev/zero"
        #expect(await why { try await save(clip(file), FileProvider()) } != nil)
        #expect(try files().isEmpty)
    }

    @Test func missingSubtitlesAreSaid() async throws {
        server.serve("/clip.mp4", Array(1...200))
        server.serve("/page.vtt", Resource.text("<html>"))
        var item = item("/clip.mp4")
        item.captions = [
            CaptionLink(url: server.url("/gone.vtt"), language: "en"), CaptionLink(url: server.url("/page.vtt")),
        ]
        let provider = try provider()
        let outcome = try await save(clip(item), provider)
        #expect(outcome?.missing?.contains("404") == true)
        #expect(try files() == ["Night market - Mira Okafor.json", "Night market - Mira Okafor.mp4"])
        provider.close()
    }

    /// A folder has one file of a language, and no transcript.
    @Test func firstSubtitlesOfALanguageAreSaved() async throws {
        func cues(_ text: String) -> [UInt8] { Array("WEBVTT\n\n00:00.000 --> 00:01.000\n\(text)\n".utf8) }
        server.serve("/clip.mp4", Array(1...200))
        server.serve("/1.vtt", cues("first"))
        server.serve("/2.vtt", cues("second"))
        let transcript = #"{"version":"1.0.0","segments":[{"startTime":0,"endTime":1,"body":"Hi"}]}"#
        server.serve("/3.json", Resource.text(transcript))
        var item = item("/clip.mp4")
        item.captions = ["/1.vtt", "/2.vtt"].map { CaptionLink(url: server.url($0), language: "en") }
        item.captions.append(CaptionLink(url: server.url("/3.json"), language: "de"))
        let provider = try provider()
        let outcome = try await save(clip(item), provider)
        #expect(try files() == ["en.vtt", "json", "mp4"].map { "Night market - Mira Okafor.\($0)" })
        #expect(bytes("Night market - Mira Okafor.en.vtt") == Data(cues("first")))
        #expect(outcome?.missing == "not WebVTT or SubRip")
        provider.close()
    }

    @Test(
        arguments: [
            ("Rain", "Mira", "ilma", "Rain - Mira"), ("Rain", nil, "ilma", "Rain - ilma"), ("Rain", nil, nil, "Rain"),
            (nil, "Mira", nil, "https---h.example-a.mp4 - Mira"),
        ] as [(String?, String?, String?, String)])
    func fileIsNamedAfterTitleAndCreatorOrFolder(title: String?, creator: String?, folder: String?, name: String) {
        let item = Item(
            id: "a", url: "https://h.example/a.mp4", title: title, creator: creator.map { Item.Creator(name: $0) },
            folder: folder)
        #expect(clip(item).name == name)
    }

    @Test(arguments: [
        ("../../etc/passwd\u{1B}[2J", "a/b", "etc-passwd\u{FFFD} - a-b"), ("-rf ~", "", "rf ~"),
        ("...", "\u{202E}", "clip"), (".hidden", "x\u{0}y", "hidden - x\u{FFFD}y"), ("~/x", "CON: a?", "x - CON- a-"),
        // With a mark after it, a slash or a point is another character.
        ("a/\u{301}b", "", "a-\u{301}b"),
    ])
    func hostileNamesAreHarmless(title: String, creator: String, name: String) {
        #expect(clip(item("/a.mp4", title: title, creator: creator)).name == name)
    }

    @Test func longNamesFitTheDisk() async throws {
        server.serve("/clip.mp4", Array(1...200))
        let provider = try provider()
        let long = String(repeating: "長い😀", count: 400)
        let outcome = try await save(clip(item("/clip.mp4", title: long, creator: long)), provider)
        #expect(outcome.map { FileManager.default.fileExists(atPath: $0.path) } == true)
        #expect(try files().allSatisfy { $0.utf8.count < 200 })
        provider.close()
    }

    @Test(
        arguments: [
            ("/v?x=1", "mov,mp4,m4a,3gp,3g2,mj2", "mp4"), ("/v.php", "matroska,webm", "mkv"), ("/v.WEBM", nil, "webm"),
            ("/v", "mp3", "mp3"), ("/v", "png_pipe", "png"), ("/v", nil, "mp4"), ("/v.m3u8", "hls", "mp4"),
        ] as [(String, String?, String)])
    func endingIsThatOfTheURLElseOfTheContainer(path: String, container: String?, ending: String) {
        #expect(ClipTypes.ending(urls: ["https://example.org\(path)"], container: container) == ending)
    }

    /// A text that makes the description too long to be read back.
    @Test func longDescriptionIsLeftOut() async throws {
        server.serve("/clip.mp4", Array(1...200))
        var item = item("/clip.mp4")
        item.text = String(repeating: "\u{1}", count: 15_000)
        let provider = try provider()
        try await save(clip(item), provider)
        #expect(try loadFeed(sources: [saved]).items[0].creator?.name == "Mira Okafor")
        provider.close()
    }

    // MARK: The session

    /// What the session posts, without how far it is.
    private func posted(_ inbox: Inbox<LoopMessage>) -> [String] {
        inbox.drain().compactMap { message in
            switch message {
            case .event(.notice(let text, _)): text
            case .event(.linkNotice(let words, let link, _)): "\(words): \(link)"
            case .event(.savingEnded(let id)): "ended \(id)"
            default: nil
            }
        }
    }

    private func session(_ provider: any ByteProvider, _ inbox: Inbox<LoopMessage>) throws -> ClipSaveSession {
        let report = ReportSettings(stateFolder: folder.path)
        let journal = try Journal(report, file: LogFile(path: folder.path + "/log"), clock: ProcessClock())
        try folder.folder("saved")
        return ClipSaveSession(
            provider: provider, inbox: inbox, journal: journal, path: { [saved] _ throws(AppError) in saved },
            decoderPath: { () throws(AppError) in FlickBinary.sibling("flick-decoder") })
    }

    @Test func secondKeyCancels() async throws {
        server.link = FaultyServer.Link(rate: 200_000)
        server.serve("/clip.mp4", Resource(.pattern(length: 8 << 20, seed: 1)))
        let (provider, inbox) = (try provider(), try Inbox<LoopMessage>())
        let session = try session(provider, inbox)
        let clip = clip(item("/clip.mp4"))
        _ = session.toggle(clip, retention: .home)
        #expect(server.waitUntil { $0.bodyBytes > 50_000 })
        #expect(try !files().isEmpty)
        #expect(session.toggle(clip, retention: .home).isEmpty)
        #expect(holds(within: .seconds(5)) { session.isIdle })
        #expect(posted(inbox) == ["ended a", "Saving cancelled"])
        #expect(try files().isEmpty)
        // The key saves it again.
        server.link = FaultyServer.Link()
        _ = session.toggle(clip, retention: .home)
        #expect(holds(within: .seconds(10)) { session.isIdle })
        #expect(posted(inbox) == ["ended a", "Clip saved: \(saved)/Night market - Mira Okafor.mp4"])
        provider.close()
    }

    @Test func secondKeyTakesAWaitingClipOffTheQueue() async throws {
        server.link = FaultyServer.Link(rate: 200_000)
        server.serve("/clip.mp4", Resource(.pattern(length: 8 << 20, seed: 1)))
        let (provider, inbox) = (try provider(), try Inbox<LoopMessage>())
        let session = try session(provider, inbox)
        var other = item("/clip.mp4")
        other.id = "b"
        for item in [item("/clip.mp4"), other] { _ = session.toggle(clip(item), retention: .home) }
        let events = session.toggle(clip(other), retention: .home)
        guard events.count == 2, case .savingEnded("b") = events[0], case .notice("Saving cancelled", _) = events[1]
        else {
            Issue.record("\(events)")
            return
        }
        session.close()
        provider.close()
    }

    @Test func endOfFlickLeavesNothing() async throws {
        server.link = FaultyServer.Link(rate: 200_000)
        server.serve("/clip.mp4", Resource(.pattern(length: 8 << 20, seed: 1)))
        let (provider, inbox) = (try provider(), try Inbox<LoopMessage>())
        let session = try session(provider, inbox)
        _ = session.toggle(clip(item("/clip.mp4")), retention: .home)
        #expect(server.waitUntil { $0.bodyBytes > 50_000 })
        session.close()
        #expect(try files().isEmpty)
        provider.close()
    }

    @Test func errorNamesTheClip() async throws {
        let (provider, inbox) = (try provider(), try Inbox<LoopMessage>())
        let session = try session(provider, inbox)
        _ = session.toggle(clip(item("/none.mp4", title: "Night\u{7}")), retention: .home)
        #expect(holds(within: .seconds(10)) { session.isIdle })
        let posted = posted(inbox)
        #expect(
            posted.count == 2 && posted[1].hasPrefix("Couldn't save 'Night\u{FFFD}': ") && posted[1].contains("404"))
        provider.close()
    }
}
