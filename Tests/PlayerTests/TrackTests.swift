import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Player

/// Which tracks of a clip are played, and what is reported of them.
@Suite(.serialized) @MainActor struct TrackTests {
    private let item = Item(id: "a", url: "file:///script")

    /// What a decoder hears of tracks and seeks.
    private final class Orders: Sendable {
        private let orders = Mutex<[ToDecoder]>([])

        func add(_ order: ToDecoder) {
            switch order {
            case .soundTrack, .soundLanguages, .textTrack, .seek: orders.withLock { $0.append(order) }
            default: break
            }
        }
        var all: [ToDecoder] { orders.withLock(\.self) }
        func take() -> [ToDecoder] {
            orders.withLock { orders in
                defer { orders = [] }
                return orders
            }
        }
    }

    private func script(_ orders: Orders) -> ScriptedDecoder {
        var script = ScriptedDecoder()
        script.soundTracks = [
            .init(language: "ger", title: "\u{1B}[2JDirektor", isChosen: true), .init(language: "eng"), .init(),
        ]
        script.chapters = [
            .init(start: 0, title: "One\nmore"), .init(start: 1_000_000, title: ""),
            .init(start: 9_000_000, title: "late"),
        ]
        script.cues = [
            (500_000, 900_000, "a\u{7}\nb"), (200_000, 400_000, "first"), (600_000, 600_000, "never"), (1, 2, " "),
        ]
        script.hears = { orders.add($0) }
        return script
    }

    private func facts(_ stage: Stage) -> ClipFacts? {
        stage.reports.compactMap { if case .opened(let facts) = $0 { facts } else { nil } }.last
    }

    private func play(_ stage: Stage) {
        stage.play(item)
        let plays = stage.run(item) { $0.position() > .milliseconds(300) }
        #expect(plays)
    }

    @Test func partsAreReportedCleanAndWithinTheClip() throws {
        let stage = Stage(audio: TestOutput(), decoders: [script(Orders())])
        defer { stage.pool.close() }
        play(stage)
        let reported = try #require(facts(stage))
        let chapters = [Chapter(start: .zero, title: "One more"), Chapter(start: .seconds(1), title: "")]
        #expect(reported.chapters == chapters)
        #expect(reported.soundTracks.map(\.language) == ["ger", "eng", ""])
        #expect(reported.soundTracks[0].title == "\u{FFFD}Direktor" && reported.soundTrack == 0)
        #expect(reported.textTracks.map(\.language) == ["de"])
    }

    @Test func anotherSoundIsAskedForWhereTheClipIs() throws {
        let orders = Orders()
        let stage = Stage(audio: TestOutput(), decoders: [script(orders)])
        defer { stage.pool.close() }
        play(stage)
        let position = stage.position()
        stage.chooseSound("a", 1)
        #expect(stage.reports.contains(.soundTrack(1)))
        _ = stage.run(item, limit: .milliseconds(400)) { _ in false }
        let heard = orders.take()
        #expect(heard.first == .soundTrack(1))
        guard case .seek(_, let time, .exact)? = heard.dropFirst().first, heard.count == 2 else {
            Issue.record("\(heard)")
            return
        }
        #expect(abs(time - position.microseconds) < 100_000)
        #expect(stage.position() > position)
        // The same once more, and one that there is not.
        stage.chooseSound("a", 1)
        stage.chooseSound("a", 3)
        stage.chooseSound("b", 0)
        _ = stage.run(item, limit: .milliseconds(100)) { _ in false }
        #expect(orders.take().isEmpty)
    }

    /// The page never loses its picture, and the clip is where it was.
    @Test(arguments: [false, true]) func variantChosenByHandPlaysFromTheSamePlace(isPaused: Bool) throws {
        let film = Item(id: "a", url: "file://\(try ServedClips.folder())/ts/master.m3u8")
        let stage = Stage(audio: TestOutput())
        defer { stage.pool.close() }
        stage.play(film)
        #expect(stage.run(film) { $0.position() > .seconds(1) && figures($0)?.variant?.size?.width == 160 })
        #expect(facts(stage)?.variants.map(\.size?.height) == [90, 360, 720])
        if isPaused { stage.pause("a") }
        let (before, shown) = (stage.position(), stage.pool.pictureIdentity(of: "a"))
        stage.reports = []
        stage.tune("a", variant: 2)
        if isPaused {
            #expect(stage.run(film) { $0.pool.pictureIdentity(of: "a") != shown })
            #expect(stage.pool.pictureIdentity(of: "a")?.mediaTime == shown?.mediaTime)
            stage.play(film)
        }
        #expect(stage.run(film) { figures($0)?.variant?.why == "chosen by hand" })
        #expect(figures(stage)?.variant?.size?.height == 720)
        let positions = stage.reports.compactMap { if case .position(let at, _) = $0 { at } else { nil } }
        #expect(positions.allSatisfy { $0 > before - .milliseconds(100) && $0 < before + .seconds(4) }, "\(positions)")
        #expect(!stage.lostPicture && stage.pool.players["a"]?.recoveries == 0)
    }

    private func figures(_ stage: Stage) -> Diagnostics? {
        stage.reports.reversed().lazy.compactMap { if case .diagnostics(let figures) = $0 { figures } else { nil } }
            .first
    }

    /// Another clip begins in the chosen language, whichever code of it its file has; the next decoder of this one
    /// plays what was chosen.
    @Test func trackChoiceAppliesToOtherClipsAndDecoders() throws {
        let (orders, others) = (Orders(), Orders())
        var dying = script(orders)
        dying.fault = (.dies, 60)
        let stage = Stage(audio: TestOutput(), decoders: [dying, script(others)])
        defer { stage.pool.close() }
        play(stage)
        stage.chooseSound("a", 1)
        let isReplaced = stage.run(item) { !$0.events.all("recover").isEmpty && others.all.count >= 3 }
        #expect(isReplaced)
        let again = others.take()
        #expect(again.first == .soundLanguages(["eng", "en"]))
        #expect(again.contains(.soundTrack(1)))
        let other = Item(id: "b", url: "file:///other")
        stage.play(other)
        _ = stage.run(other) { $0.position() > .milliseconds(100) }
        #expect(others.take().first == .soundLanguages(["eng", "en"]))
    }

    @Test func configuredLanguagesComeBeforeTheClipIsOpenWithAllTheirCodes() {
        let orders = Orders()
        let stage = Stage(audio: TestOutput(), decoders: [script(orders)], soundLanguages: ["de-AT", "xx"])
        defer { stage.pool.close() }
        play(stage)
        #expect(orders.take() == [.soundLanguages(["de", "deu", "ger", "xx"])])
    }

    @Test(arguments: [-16.0, nil]) func configuredLoudnessIsRequestedAndTheEstimateReported(level: Double?) {
        let stage = Stage(audio: TestOutput(), decoders: [ScriptedDecoder()], soundLevel: level)
        defer { stage.pool.close() }
        play(stage)
        _ = stage.run(item, limit: .milliseconds(2_500)) { _ in false }
        let figures = stage.reports.compactMap { if case .diagnostics(let figures) = $0 { figures } else { nil } }
        let expected = level.map { _ in ClipLoudness(loudness: -23.1, gain: 7.1, origin: .partial) }
        #expect(!figures.isEmpty && figures.last?.loudness == expected)
    }

    @Test func cuesAreReportedCleanInOrderAndAgainAfterASeek() {
        let stage = Stage(audio: TestOutput(), decoders: [script(Orders())])
        defer { stage.pool.close() }
        play(stage)
        stage.chooseText("a", 0)
        func cues() -> [[Cue]] { stage.reports.compactMap { if case .cues(let cues) = $0 { cues } else { nil } } }
        let come = stage.run(item) { _ in cues().last?.isEmpty == false }
        #expect(come)
        let expected = [
            Cue(start: .milliseconds(200), end: .milliseconds(400), text: "first"),
            Cue(start: .milliseconds(500), end: .milliseconds(900), text: "a\u{FFFD}\nb"),
        ]
        #expect(cues().last == expected)
        let before = cues().count
        stage.seek("a", to: .seconds(2))
        let again = stage.run(item) { _ in cues().count > before && cues().last == expected }
        #expect(again)
        stage.chooseText("a", nil)
        let gone = stage.run(item) { _ in cues().last == [] }
        #expect(gone)
    }

    /// With the real decoder: how long it takes until the other sound is heard, and that the pictures continue.
    @Test func anotherSoundIsHeardSoon() throws {
        let url = try #require(Stage.clipOfTwoSounds, "there is no ffmpeg")
        let (item, audio) = (Item(id: "a", url: url.absoluteString), TestOutput())
        let stage = Stage(audio: audio)
        defer { stage.pool.close() }
        stage.play(item)
        let plays = stage.run(item) { $0.position() > .seconds(1) && audio.heard.count > 48_000 }
        #expect(plays)
        func crossings() -> Int {
            let samples = audio.heard.prefix(Int(audio.playedFrames) * 2).suffix(4_800)
            let left = stride(from: samples.startIndex, to: samples.endIndex, by: 2).map { samples[$0] }
            return zip(left, left.dropFirst()).count { ($0 < 0) != ($1 < 0) }
        }
        // Of 50 ms: twice 440 Hz are 44, twice 1,320 Hz are 132.
        #expect((30..<60).contains(crossings()))
        let (before, began) = (stage.position(), stage.now)
        stage.chooseSound("a", 1)
        let isHeard = stage.run(item, limit: .seconds(5)) { _ in crossings() > 100 }
        let took = stage.now - began
        #expect(isHeard && took < .seconds(2), "it took \(took)")
        #expect(stage.position() >= before)
        if ProcessInfo.processInfo.environment["FLICK_FIGURES"] != nil { print("another sound after \(took)") }
    }

    @Test func windowOfCuesKeepsTheNewestAndNoneTwice() {
        var window = CueWindow()
        for index in 0..<1_000 {
            window.add(start: Int64(index), end: Int64(index) + 5, text: "\(index)")
            window.add(start: Int64(index), end: Int64(index) + 5, text: "\(index)")
        }
        let kept = window.take()
        #expect(kept.count == CueWindow.limit && kept.last?.text == "999" && Set(kept).count == kept.count)
        #expect(!window.hasChanged)
        window.add(start: 0, end: 1, text: String(repeating: "a\n", count: 900))
        #expect(window.take().first?.text.split(separator: "\n").count == 10)
    }
}
