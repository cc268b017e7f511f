import Bytes
import Foundation
import HTTP
import Model
import TestSupport
import Testing
import UI

@testable import App

/// The queue of clips that are saved, and what the page hears of each.
@Suite(.timeLimit(.minutes(2))) struct ClipSaveSessionTests {
    private let inbox: Inbox<LoopMessage>
    private let folder = TemporaryFolder()
    private let provider: HeldProvider
    private let session: ClipSaveSession

    init() throws {
        inbox = try Inbox<LoopMessage>()
        provider = HeldProvider(FileProvider(), isHeld: true)
        for name in ["Videos", "Music", "Pictures"] { try folder.folder(name) }
        let root = folder.path
        session = ClipSaveSession(
            provider: provider, inbox: inbox, journal: try Self.journal(folder),
            path: { kind throws(AppError) in "\(root)/\(kind.rawValue)" },
            decoderPath: { () throws(AppError) in throw AppError("no decoder is needed") })
    }

    private static func journal(_ folder: TemporaryFolder) throws -> Journal {
        try Journal(
            ReportSettings(stateFolder: folder.path), file: LogFile(path: folder.path + "/log"), clock: ProcessClock())
    }

    /// A clip of three bytes that begin with a letter.
    private func clip(_ name: String, in kind: UserFolder = .videos) throws -> SavedClip {
        let path = try folder.write("clips/\(name).mp4", "\(name)01".utf8)
        let item = Item(id: name, url: FileURL.url(path: path.utf8), title: "Title \(name)")
        return SavedClip(item: item, duration: .seconds(1), container: nil, folder: kind)
    }

    private func words(_ event: Event) -> String {
        switch event {
        case .saving(let id, let bytes, let length): "saving \(id) \(bytes) of \(length ?? -1)"
        case .savingEnded(let id): "ended \(id)"
        case .notice(let text, let kind): "\(kind): \(text)"
        case .linkNotice(let words, let link, _): "\(words): \(link)"
        default: "\(event)"
        }
    }

    private func toggle(_ clip: SavedClip, _ retention: Asset.Retention = .home) -> [String] {
        session.toggle(clip, retention: retention).map { words($0) }
    }

    /// Waits until nothing more is saved, and returns what the page was sent.
    private func posted() -> [String] {
        provider.release()
        #expect(holds(within: .seconds(20)) { session.isIdle })
        return inbox.drain().compactMap { if case .event(let event) = $0 { words(event) } else { nil } }
    }

    @Test func eachClipIsSavedInTurnInItsOwnFolder() throws {
        let clips = [try clip("a"), try clip("b", in: .music), try clip("c", in: .pictures)]
        for (clip, retention) in zip(clips, [Asset.Retention.home, .lasting, .home]) {
            #expect(toggle(clip, retention) == ["saving \(clip.item.id) 0 of -1"])
        }
        let paths = ["Videos/Title a", "Music/Title b", "Pictures/Title c"].map { "\(folder.path)/\($0).mp4" }
        #expect(
            posted() == [
                "ended a", "Clip saved: \(paths[0])", "ended b", "Clip saved: \(paths[1])", "ended c",
                "Clip saved: \(paths[2])",
            ])
        #expect(paths.map { FileManager.default.contents(atPath: $0) } == ["a01", "b01", "c01"].map { Data($0.utf8) })
        #expect(provider.requests.map(\.asset.retention) == [.home, .lasting, .home])
    }

    @Test func queueIsLimited() throws {
        let clips = try (0...ClipSaveSession.limit + 2).map { try clip("n\($0)") }
        for clip in clips.dropLast(2) { #expect(toggle(clip) == ["saving \(clip.item.id) 0 of -1"]) }
        let refusal = "failure: Couldn't save the clip: 20 others are queued; try again later"
        #expect(toggle(clips[21]) == [refusal])
        #expect(toggle(clips[7]) == ["ended n7", "news: Saving cancelled"])
        #expect(toggle(clips[22]) == ["saving n22 0 of -1"])
        session.close()
    }

    @Test func cancelledClipIsFollowedByTheNext() throws {
        for name in ["a", "b"] { _ = toggle(try clip(name)) }
        #expect(holds(within: .seconds(10)) { provider.requests.count == 1 })
        let cancelled = toggle(try clip("a"))
        #expect(cancelled.isEmpty)
        #expect(
            posted() == [
                "ended a", "news: Saving cancelled", "ended b", "Clip saved: \(folder.path)/Videos/Title b.mp4",
            ])
    }

    @Test func nothingIsSavedAfterTheEnd() throws {
        for name in ["a", "b"] { _ = toggle(try clip(name)) }
        #expect(holds(within: .seconds(10)) { provider.requests.count == 1 })
        session.close()
        #expect(session.isIdle)
        _ = toggle(try clip("c"))
        let isFurther = holds(within: .milliseconds(200)) { provider.requests.count > 1 }
        #expect(!isFurther)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/Videos").isEmpty)
    }

    @Test func missingSubtitlesAreInTheNotice() throws {
        var item = try clip("a").item
        item.captions = [CaptionLink(url: "file:///nowhere/a.vtt")]
        _ = toggle(SavedClip(item: item, duration: nil, container: nil, folder: .videos))
        let posted = posted()
        #expect(posted.count == 2 && posted.first == "ended a")
        #expect(posted.last?.hasPrefix("Clip saved, subtitles are missing (") == true)
        #expect(posted.last?.hasSuffix("): \(folder.path)/Videos/Title a.mp4") == true)
    }

    @Test(arguments: ["Night", nil] as [String?]) func missingFolderIsReported(title: String?) throws {
        let session = ClipSaveSession(
            provider: provider, inbox: inbox, journal: try Self.journal(folder),
            path: { kind throws(AppError) in throw AppError("no folder for \(kind.rawValue)") })
        let item = Item(id: "a", url: "file:///clips/a.mp4", title: title)
        _ = session.toggle(
            SavedClip(item: item, duration: nil, container: nil, folder: .music), retention: .home)
        #expect(holds(within: .seconds(10)) { session.isIdle })
        let name = title.map { "'\($0)'" } ?? "the clip"
        #expect(posted() == ["ended a", "failure: Couldn't save \(name): no folder for Music"])
        #expect(provider.requests.isEmpty)
    }

    /// How far a clip is shown now and then, not with each piece.
    @Test func progressIsThatOfTheBytesOnDisk() throws {
        let server = try FaultyServer()
        defer { server.stop() }
        server.link = FaultyServer.Link(rate: 400_000)
        server.serve("/clip.mp4", Resource(.pattern(length: 700_000, seed: 1)))
        let network = CachedProvider(cache: nil, network: NetworkOptions())
        defer { network.close() }
        let root = folder.path
        let session = ClipSaveSession(
            provider: network, inbox: inbox, journal: try Self.journal(folder),
            path: { _ throws(AppError) in "\(root)/Videos" })
        let start = ContinuousClock.now
        let item = Item(id: "a", url: server.url("/clip.mp4"), title: "Night")
        _ = session.toggle(
            SavedClip(item: item, duration: .seconds(9), container: nil, folder: .videos), retention: .home)
        #expect(holds(within: .seconds(60)) { session.isIdle })
        let most = Int((ContinuousClock.now - start) / .milliseconds(700))
        var amounts: [Int64] = []
        for case .event(.saving("a", bytes: let bytes, of: let length)) in inbox.drain() {
            amounts.append(bytes)
            #expect(length == 700_000)
        }
        #expect(!amounts.isEmpty && amounts.count <= most && amounts == amounts.sorted())
        #expect(amounts.allSatisfy { $0 > 0 && $0 <= 700_000 })
    }
}
