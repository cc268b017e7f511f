import Audio
import Bytes
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Player

/// What a viewer asks of a clip, by a manual clock.
@Suite(.serialized) @MainActor struct PlayerPoolTests {
    private let item = Item(id: "a", url: "file:///script")

    @Test func decoderOfAClipWithPicturesInStockDoesNotWakeTheLoop() {
        var script = ScriptedDecoder()
        script.duration = 60_000_000
        let stage = Stage(audio: TestOutput(), decoders: [script])
        defer { stage.pool.close() }
        let item = Item(id: "a", url: "file:///script")
        stage.play(item)
        let hasBegun = stage.run(item) { $0.position() > .seconds(1) }
        #expect(hasBegun)
        let (wakes, received) = (stage.wakeCount, stage.pool.decodersInUse[0].traffic.received)
        _ = stage.run(item, limit: .seconds(4)) { _ in false }
        // A hundred pictures came, and as many pieces of sound.
        #expect(stage.pool.decodersInUse[0].traffic.received - received > 100)
        #expect(stage.wakeCount - wakes <= 4)
        // Paused, what comes is announced again: the picture of a seek is waited for.
        stage.pause(item.id)
        let before = stage.wakeCount
        stage.seek(item.id, to: .seconds(30))
        let arrived = stage.run(item) { $0.position() >= .seconds(30) || $0.reports.contains(.sought(.seconds(30))) }
        #expect(arrived && stage.wakeCount > before)
    }

    /// A tick of the page seeks after the players have advanced: the loop then sleeps until it is woken.
    @Test(arguments: [false, true]) func pictureOfASeekWakesTheLoop(isPreview: Bool) {
        var script = ScriptedDecoder()
        script.duration = 60_000_000
        let stage = Stage(audio: TestOutput(), decoders: [script])
        defer { stage.pool.close() }
        stage.play(item)
        let hasBegun = stage.run(item) { $0.position() > .seconds(1) }
        let isWoken = stage.isWoken {
            if isPreview {
                stage.preview(item.id, to: .seconds(30))
            } else {
                stage.seek(item.id, to: .seconds(30))
            }
        }
        #expect(hasBegun && isWoken)
    }

    @Test func clipPlaysAndReportsItsFirstPictureOnce() {
        let stage = Stage(audio: TestOutput(), decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        let played = stage.run(item) { $0.position() > .seconds(1) }
        #expect(played)
        #expect(stage.events.all("first_frame").count == 1)
        #expect(stage.reports.filter { $0 == .firstFrame }.count == 1)
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func seekLandsAndPlaysOn() {
        let stage = Stage(audio: TestOutput(), decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.reports.contains(.firstFrame) }
        stage.seek(item.id, to: .seconds(3))
        let landed = stage.run(item) { $0.position() > .milliseconds(3_300) }
        #expect(landed)
        #expect(
            stage.reports.contains {
                if case .sought(let time) = $0 { abs(time / .seconds(1) - 3) < 0.05 } else { false }
            })
    }

    @Test func steppedClipContinuesFromThePictureInView() {
        let stage = Stage(decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        stage.pause(item.id)
        for _ in 0..<3 {
            stage.step(item.id, by: 1)
            _ = stage.run(item, limit: .milliseconds(10)) { _ in false }
        }
        let (before, began) = (stage.pool.pictureIdentity(of: "a")?.mediaTime, stage.now)
        stage.play(item)
        let moved = stage.run(item) { $0.pool.pictureIdentity(of: "a")?.mediaTime != before }
        // The next picture is due 40 ms later.
        #expect(moved && stage.now - began <= .milliseconds(45))
    }

    @Test func preloadingWaitsForTheFirstPictureInView() {
        let stage = Stage(decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        stage.keepWarm([Item(id: "b", url: "file:///other")])
        stage.openAhead()
        #expect(stage.pool.decodersInUse.count == 1)
        _ = stage.run(item) { $0.reports.contains(.firstFrame) }
        stage.openAhead()
        #expect(stage.pool.decodersInUse.count == 2)
    }

    @Test func diagnosticsCoverOnlyTheLastSecond() {
        let stage = Stage(decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item, limit: .milliseconds(3_500)) { _ in false }
        let rates = stage.reports.compactMap {
            if case .diagnostics(let figures) = $0 { figures.picturesPerSecond } else { nil }
        }
        #expect(rates.count >= 3 && rates.dropFirst().allSatisfy { abs($0 - 25) <= 1 }, "\(rates)")
    }

    @Test func seekAfterTheEndResumesFromThere() {
        var script = ScriptedDecoder()
        script.duration = 1_000_000
        let stage = Stage(loop: false, decoders: [script])
        defer { stage.pool.close() }
        stage.play(item)
        let ended = stage.run(item) { $0.reports.contains(.ended) }
        #expect(ended)
        stage.seek(item.id, to: .milliseconds(600))
        stage.reports = []
        stage.play(item)
        let played = stage.run(item) { $0.position() > .milliseconds(700) }
        #expect(played)
        #expect(
            stage.reports.allSatisfy {
                if case .position(let time, _) = $0 { time >= .milliseconds(560) } else { true }
            })
    }

    @Test func pausedClipWantsNoWake() {
        let stage = Stage(audio: TestOutput(), decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        stage.pause(item.id)
        #expect(stage.wantsNoWake)
    }

    @Test func seekWhilePlayingTriggersNoRecovery() {
        let stage = Stage(audio: TestOutput(), decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        let played = stage.run(item) { $0.position() > .milliseconds(800) }
        #expect(played)
        for target in [Duration.seconds(3), .seconds(2)] {
            stage.reports = []
            stage.seek(item.id, to: target)
            let played = stage.run(item) { $0.position() > target + .milliseconds(300) }
            #expect(played)
        }
        #expect(stage.events.all("watchdog").isEmpty && stage.events.all("recover").isEmpty)
    }

    @Test func callsReturnWhatHappenedInOrder() {
        let stage = Stage(audio: TestOutput(), decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        let pool = stage.pool
        let other = Item(id: "b", url: "file:///other")
        let begun = pool.play(item, index: 3, now: stage.now)
        #expect(
            begun == [
                .trace(.claim(item: "a", index: 3, how: .cold)), .report("a", .playing),
            ])
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        // The pid of a decoder within this process is 0.
        let states = [TraceEvent.WorkerState.spawn, .ready]
        #expect(stage.events.all("worker") == states.map { .worker(item: nil, pid: 0, state: $0, status: nil) })
        let turned = pool.play(other, index: 4, now: stage.now)
        guard turned.count == 5, case .report("a", .position) = turned[1] else {
            Issue.record("\(turned)")
            return
        }
        #expect(turned[0] == .trace(.audio(owner: "a", state: .silent, drift: nil)))
        #expect(turned[2] == .report("a", .paused))
        #expect(turned[3...] == [.trace(.claim(item: "b", index: 4, how: .cold)), .report("b", .playing)])
        #expect(pool.pause("unknown", now: stage.now).isEmpty)
    }
}

/// The same on real decoders, by real time.
@Suite(.serialized) @MainActor struct RealDecoderTests {
    private func item() throws -> Item { Item(id: "a", url: try #require(Stage.clip).absoluteString) }

    @Test func killedDecoderIsReplacedAtTheSamePlaceWithinASecond() throws {
        let (stage, item) = (Stage(), try item())
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .seconds(1) }
        var pid: Int32 = 0
        for case .diagnostics(let figures) in stage.reports { pid = figures.decoderPID }
        try #require(pid > 0)
        let before = stage.position()
        let killedAt = stage.now
        kill(pid, SIGKILL)
        let back = stage.run(item) { $0.position() > before + .milliseconds(200) && !$0.events.all("recover").isEmpty }
        #expect(back)
        #expect(stage.now - killedAt < .milliseconds(1_200))
        #expect(stage.position() < before + .milliseconds(700))
        #expect(stage.events.all("recover").count == 1)
    }

    @Test func missingFileFailsWithItsReason() throws {
        let stage = Stage()
        defer { stage.pool.close() }
        let item = Item(id: "b", url: "file:///nowhere/at-all.mp4")
        stage.play(item)
        let failed = stage.run(item) { $0.reports.contains { if case .failed = $0 { true } else { false } } }
        #expect(failed)
        let reasons = stage.reports.compactMap {
            if case .failed(let why, let advice, _) = $0 { [why, advice] } else { nil }
        }
        #expect(reasons == [["no such file", "it may have been moved"]])
        #expect(
            stage.events.all("error") == [
                .error(
                    item: "b", what: "play", why: "cannot open '/nowhere/at-all.mp4': no such file")
            ])
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func onlyOneClipIsHeardAtATime() throws {
        let heard = FileManager.default.temporaryDirectory.appendingPathComponent("flick-pool-\(getpid()).raw")
        // A file that remains in the temporary folder is harmless.
        defer { try? FileManager.default.removeItem(at: heard) }
        setenv("SDL_AUDIODRIVER", "disk", 1)
        setenv("SDL_DISKAUDIOFILE", heard.path, 1)
        let stage = Stage(audio: SDLOutput(changed: {}))
        let first = try item()
        let second = Item(id: "c", url: try #require(Stage.otherClip).absoluteString)
        stage.play(first)
        _ = stage.run(first) { $0.position() > .milliseconds(800) }
        stage.play(second)
        // The first one's last position among them.
        stage.reports = []
        _ = stage.run(second) { $0.position() > .milliseconds(800) }
        let drifts = stage.events.all("audio")
        stage.pool.close()

        let bytes = try Data(contentsOf: heard)
        let samples = bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
        // Of both tones, whole periods fit in a window of 1,200 frames: each is blind to the other.
        var (voices, both): ([String], Int) = ([], 0)
        for start in stride(from: 0, to: samples.count - 2_400, by: 2_400) {
            let window = (0..<1_200).map { Double(samples[start + $0 * 2]) }
            let (low, high) = (strength(of: 440, in: window), strength(of: 1_320, in: window))
            let voice = (low > 400 ? "A" : "") + (high > 400 ? "B" : "")
            if voice == "AB" { both += 1 } else if voices.last != voice { voices.append(voice) }
        }
        // The one window in which the clips change may hold the end of one and the beginning of the other.
        #expect(both <= 1)
        #expect(voices.filter { !$0.isEmpty } == ["A", "B"], "\(voices)")
        #expect(!drifts.isEmpty)
    }

    /// The amplitude of one frequency (Goertzel).
    private func strength(of frequency: Double, in window: [Double]) -> Double {
        let step = 2 * Double.pi * frequency / 48_000
        var (real, imaginary) = (0.0, 0.0)
        for (index, sample) in window.enumerated() {
            real += sample * cos(step * Double(index))
            imaginary += sample * sin(step * Double(index))
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(window.count)
    }
}
