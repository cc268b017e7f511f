import Bytes
import Model
import TestSupport
import Testing
import Wire

@testable import Player

/// What the player relies on, of the scripted decoder and of the real one alike.
@Suite(.serialized) @MainActor struct ContractTests {
    enum Kind: CaseIterable { case scripted, real }

    /// flick's end: answers reads, writes down what comes.
    private final class Session {
        let process: DecoderProcess
        private let server: ReadServer
        var opened: [MediaInfo] = []
        var pictures: [PictureHeader] = []
        var soundFrames = 0
        var ended: [UInt32] = []
        var releases = true
        let url: String
        let outbox: Outbox

        init(_ kind: Kind, loop: Bool) throws {
            process =
                switch kind {
                case .scripted: try ScriptedDecoder().start()
                case .real: try Nursery(path: Stage.decoderPath).decoder()
                }
            url = try #require(Stage.clip).absoluteString
            let outbox = Outbox(channel: process.channel)
            self.outbox = outbox
            server = ReadServer(provider: FileProvider(), prefetch: nil) { outbox.send($0, waits: true) }
            server.begin(Asset(url: url))
            outbox.send(.surface(SurfaceRequest(generation: 1, width: 64, height: 48, fit: .fill)), waits: true)
            outbox.send(.open(url: url, start: 0, loop: loop, sound: true), waits: true)
        }

        deinit {
            process.kill()
            server.end()
            process.reap()
        }

        func run(until done: (Session) -> Bool) throws {
            while !done(self) {
                let message = try process.channel.receive()
                switch message {
                case .opened(let info): opened.append(info)
                case .picture(let header):
                    pictures.append(header)
                    if releases { outbox.send(.release(slots: [header.slot]), waits: true) }
                case .sound(_, _, _, let samples): soundFrames += samples.count / 2
                case .ended(let serial): ended.append(serial)
                case .failed(_, let why, _, _): throw PlaybackError(why: why)
                default:
                    try server.handle(message)
                }
            }
        }
    }

    @Test(arguments: Kind.allCases) func clipOpensOnceAndItsPicturesRise(kind: Kind) throws {
        let session = try Session(kind, loop: false)
        try session.run { $0.pictures.count == 50 }
        #expect(session.opened.count == 1)
        let times = session.pictures.map(\.pts)
        #expect(times.first == 0)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        #expect(session.pictures.allSatisfy { $0.generation == 1 && $0.serial == 0 && $0.mediaTime == $0.pts })
    }

    @Test(arguments: Kind.allCases) func slotIsNotUsedAgainBeforeItIsGivenBack(kind: Kind) throws {
        let session = try Session(kind, loop: false)
        session.releases = false
        // Sound continues after the last slot is full, and shows that no picture follows.
        try session.run { $0.pictures.count >= 4 && $0.opened.count == 1 }
        session.outbox.send(.credit(frames: 24_000), waits: true)
        try session.run { $0.soundFrames >= 24_000 }
        let slots = session.pictures.map(\.slot)
        #expect(Set(slots).count == slots.count)
        #expect(slots.allSatisfy { $0 < PictureRing.slots })
        #expect(session.soundFrames == 24_000)
    }

    @Test(arguments: Kind.allCases) func seekContinuesWithItsSerialFromItsTime(kind: Kind) throws {
        let session = try Session(kind, loop: false)
        try session.run { $0.pictures.count == 3 }
        session.outbox.send(.seek(serial: 9, time: 2_000_000, mode: .exact), waits: true)
        try session.run { $0.pictures.last?.serial == 9 && $0.pictures.count > 8 }
        let first = try #require(session.pictures.first { $0.serial == 9 })
        #expect(first.mediaTime <= 2_000_000 && first.mediaTime > 1_950_000)
        let old = try #require(session.pictures.lastIndex { $0.serial == 0 })
        #expect(session.pictures[...old].allSatisfy { $0.serial == 0 })
    }

    @Test(arguments: Kind.allCases) func endIsReportedAfterTheLastPictureAndAllSound(kind: Kind) throws {
        let session = try Session(kind, loop: false)
        session.outbox.send(.credit(frames: 48_000 * 20), waits: true)
        try session.run { !$0.ended.isEmpty }
        #expect(session.ended == [0])
        let duration = try #require(session.opened.first?.duration)
        let last = try #require(session.pictures.last)
        #expect(abs(last.mediaTime + last.duration - duration) <= 50_000)
        #expect(abs(session.soundFrames - Int(duration) * 48 / 1_000) < 4_800)
    }

    @Test(arguments: Kind.allCases) func ptsKeepsRisingWhenTheClipLoops(kind: Kind) throws {
        let session = try Session(kind, loop: true)
        session.outbox.send(.credit(frames: 48_000 * 20), waits: true)
        try session.run { $0.pictures.contains { $0.pts > 6_500_000 } }
        let pictures = session.pictures
        #expect(zip(pictures, pictures.dropFirst()).allSatisfy { $0.pts < $1.pts })
        #expect(zip(pictures, pictures.dropFirst()).count { $0.mediaTime > $1.mediaTime } == 1)
    }
}
