import Bytes
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Player

/// What a viewer asks of a clip, on real decoders.
@Suite(.serialized) @MainActor struct PlaybackTests {
    private func item() throws -> Item { Item(id: "a", url: try #require(Stage.clip).absoluteString) }

    private func item(_ recipe: TestClips.Recipe) throws -> Item {
        Item(id: "a", url: URL(fileURLWithPath: try TestClips.path(recipe)).absoluteString)
    }

    /// A clip that begins to play, the next one to be kept warm, and a spare decoder.
    private func stageWithNeighbour() throws -> (Stage, Item) {
        let (stage, item) = (Stage(idleDecoders: 1), try item())
        let next = Item(id: "b", url: try #require(Stage.otherClip).absoluteString)
        stage.startDecodersAhead()
        stage.play(item)
        stage.keepWarm([next])
        return (stage, item)
    }

    private static let short = TestClips.Recipe("player-short-1.mp4", width: 320, height: 240, seconds: 1)
    private static let mute = TestClips.Recipe("player-mute-1.mp4", width: 320, height: 240, seconds: 2, tone: 0)

    /// Hertz, from how often a tone crosses zero.
    private func pitch(_ samples: [Int16]) -> Double {
        let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        let rises = zip(left, left.dropFirst()).count { $0 < 0 && $1 >= 0 }
        return Double(rises) / (Double(left.count) / 48_000)
    }

    @Test(arguments: [[-1, -1, -1, -1, -1, -1, -1, -1], Array(repeating: 1, count: 20), [1, -1, -1, -1, 1, 1, 1, 1]])
    func everyStepOfABurstCounts(_ steps: [Int]) throws {
        let (stage, item) = (Stage(), try item())
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(600) }
        stage.pause(item.id)
        func number() -> Int {
            let time = stage.pool.pictureIdentity(of: item.id)?.mediaTime ?? .zero
            return Int((time / .milliseconds(1) * 30 / 1_000).rounded())
        }
        let wanted = number() + steps.reduce(0, +)
        for count in steps { stage.step(item.id, by: count) }
        let landed = stage.run(item, limit: .seconds(5)) { _ in number() == wanted }
        #expect(landed, "\(number()), not \(wanted)")
    }

    @Test func framesStepOneByOneForthAndBackWhilePaused() throws {
        let (stage, item) = (Stage(), try item())
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(400) }
        stage.pause(item.id)
        var numbers: [Int] = []
        func note() throws {
            let time = try #require(stage.pool.pictureIdentity(of: item.id)).mediaTime
            numbers.append(Int((time / .milliseconds(1) * 30 / 1_000).rounded()))
        }
        try note()
        for count in [1, 1, -1, -1, -1, 1] {
            stage.reports = []
            stage.step(item.id, by: count)
            let landed = stage.run(item) { $0.reports.contains { if case .sought = $0 { true } else { false } } }
            #expect(landed)
            try note()
        }
        let first = numbers[0]
        #expect(numbers.map { $0 - first } == [0, 1, 2, 1, 0, -1, 0])
    }

    @Test(arguments: [0.5, 2.0]) func speedChangesThePaceAndKeepsThePitch(speed: Double) throws {
        let audio = TestOutput()
        let (stage, item) = (Stage(audio: audio), try item())
        defer { stage.pool.close() }
        stage.setSpeed(speed)
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        let (time, position, heard) = (stage.now, stage.position(), audio.heard.count)
        _ = stage.run(item, limit: .milliseconds(1_200)) { _ in false }
        let pace = (stage.position() - position) / (stage.now - time)
        #expect(abs(pace - speed) < speed * 0.15)
        let tone = pitch(Array(audio.heard.dropFirst(heard)))
        #expect(abs(tone - 440) < 20)
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func loopHasNoSeam() throws {
        let audio = TestOutput()
        let (stage, item) = (Stage(audio: audio), try item(Self.short))
        defer { stage.pool.close() }
        stage.play(item)
        var times: [(pts: Int64, media: Duration)] = []
        _ = stage.run(item, limit: .milliseconds(2_800)) { stage in
            if let picture = stage.pool.pictureIdentity(of: "a"), picture.pts != times.last?.pts {
                times.append((picture.pts, picture.mediaTime))
            }
            return false
        }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0.pts < $1.pts })
        #expect(zip(times, times.dropFirst()).count { $0.media > $1.media } >= 2)
        #expect(times.count > 60)
        #expect(audio.underruns == 0)
        #expect(abs(pitch(audio.heard) - 440) < 3)
        #expect(!stage.reports.contains(.ended) && !stage.reports.contains(.stalled(true)))
    }

    @Test func endedClipRestartsWhenPlayed() throws {
        let (stage, item) = (Stage(loop: false), try item(Self.short))
        defer { stage.pool.close() }
        stage.play(item)
        let ended = stage.run(item) { $0.reports.contains(.ended) }
        #expect(ended)
        #expect(stage.position() > .milliseconds(900))
        #expect(stage.wantsNoWake)
        stage.reports = []
        stage.play(item)
        let again = stage.run(item) { (.milliseconds(200) ... .milliseconds(700)).contains($0.position()) }
        #expect(again)
    }

    @Test func clipWithoutSoundRunsByTheClock() throws {
        let (stage, item) = (Stage(audio: TestOutput()), try item(Self.mute))
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(200) }
        let (time, position) = (stage.now, stage.position())
        _ = stage.run(item, limit: .milliseconds(800)) { _ in false }
        #expect(abs((stage.position() - position - (stage.now - time)) / .milliseconds(1)) < 150)
    }

    @Test func stillPictureIsNotAStall() throws {
        let folder = try #require(Stage.clip).deletingLastPathComponent()
        let file = folder.appendingPathComponent("flick-still-\(getpid()).png")
        // A file that remains in the temporary folder is harmless.
        defer { try? FileManager.default.removeItem(at: file) }
        let made = try Command.run([
            "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x240", "-frames:v", "1", file.path,
        ])
        #expect(made.status == 0)
        let stage = Stage()
        let item = Item(id: "a", url: file.absoluteString)
        defer { stage.pool.close() }
        stage.play(item)
        let shown = stage.run(item) { $0.reports.contains(.firstFrame) }
        #expect(shown)
        stage.skip(.seconds(5))
        _ = stage.run(item, limit: .milliseconds(200)) { _ in false }
        #expect(stage.events.all("recover").isEmpty, "\(stage.events.all("recover"))")
        #expect(!stage.reports.contains(.ended))
        #expect(!stage.reports.contains(.stalled(true)))
    }

    @Test func slowBytesStallAndPlayOnWithTheSameDecoder() throws {
        let gate = GatedProvider()
        let (stage, item) = (Stage(provider: gate), try item())
        defer {
            gate.open()
            stage.pool.close()
        }
        stage.play(item)
        let stalled = stage.run(item) { $0.reports.contains(.stalled(true)) }
        #expect(stalled)
        stage.skip(.seconds(4))
        _ = stage.run(item, limit: .milliseconds(200)) { _ in false }
        #expect(stage.events.all("recover").isEmpty)
        let before = stage.position()
        gate.open()
        let resumed = stage.run(item) { $0.position() > before + .milliseconds(300) }
        #expect(resumed)
        #expect(stage.events.all("stall").count == 1 && stage.events.all("resume").count == 1)
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func noDecoderStartsWhilePagesMove() throws {
        let (stage, item) = try stageWithNeighbour()
        let shown = stage.run(item) { stage in
            stage.openAhead(isMoving: true)
            return stage.position() > .milliseconds(300)
        }
        #expect(shown)
        #expect(try decoders(of: stage).count == 1)
        stage.openAhead()
        let started = stage.run(item) { $0.events.all("worker").count { $0.spawned != nil } == 2 }
        #expect(started)
        #expect(try decoders(of: stage).count == 2)
        stage.pool.close()
    }

    @Test func closingIsQuickAndLeavesNoProcess() throws {
        let (stage, item) = try stageWithNeighbour()
        _ = stage.run(item) { stage in
            stage.openAhead()
            return stage.position() > .milliseconds(500) && stage.pool.pictureIdentity(of: "b") != nil
        }
        #expect(try decoders(of: stage).count == 3)
        stage.keepWarm([])
        let fewer = stage.run(item) {
            $0.events.all("worker").contains { if case .worker(_, _, .killed, _) = $0 { true } else { false } }
        }
        #expect(fewer)
        #expect(try decoders(of: stage).count == 2)
        let began = stage.now
        stage.pool.close()
        let took = stage.now - began
        #expect(took < .milliseconds(50), "\(took)")
        let left = try decoders(of: stage)
        #expect(left == [], "\(left)")
    }

    /// Those that are alive, or not reaped: tests of other suites have decoders at the same time.
    private func decoders(of stage: Stage) throws -> [ProcessTable.Entry] {
        let own = stage.events.all("worker").compactMap(\.spawned)
        return try ProcessTable.all().filter { $0.parent == getpid() && own.contains(Int($0.pid)) }
    }
}

extension TraceEvent {
    fileprivate var spawned: Int? { if case .worker(_, let pid, .spawn, _) = self { pid } else { nil } }
}

/// Serves the middle of every file only once it is opened.
private final class GatedProvider: ByteProvider {
    private let isOpen = Mutex(false)
    private let condition = NSCondition()

    func open() {
        isOpen.withLock { $0 = true }
        condition.withLock { condition.broadcast() }
    }

    func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        Source(inner: try FileProvider().open(request, cancellation: cancellation), provider: self)
    }

    private func pass() {
        condition.withLock { while !isOpen.withLock({ $0 }) { condition.wait() } }
    }

    private final class Source: ByteSource {
        let inner: any ByteSource
        let provider: GatedProvider
        var url: String { inner.url }
        var length: Int64? { inner.length }
        var isSeekable: Bool { inner.isSeekable }

        init(inner: any ByteSource, provider: GatedProvider) {
            self.inner = inner
            self.provider = provider
        }

        func read(
            at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
        ) throws(BytesError) -> Int {
            let length = length ?? 0
            let (from, to) = (length / 4, length * 3 / 4)
            if offset >= from, offset < to { provider.pass() }
            // Up to the gate and no further.
            let room = offset < from ? min(buffer.count, Int(from - offset)) : buffer.count
            return try inner.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
        }
    }
}
