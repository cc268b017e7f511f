import Bytes
import TestSupport
import Testing
import Wire

@testable import Player

/// What the player relies on, of the scripted decoder and of the real one alike.
@Suite(.serialized, .enabled(if: Stage.canPlay)) @MainActor struct ContractTests {
    enum Kind: CaseIterable { case scripted, real }

    /// flick's end: answers reads, writes down what comes.
    private final class Session {
        let process: DecoderProcess
        var server = ReadServer(door: LocalDoor())
        var opened: [MediaInfo] = []
        var pictures: [PictureHeader] = []
        var soundFrames = 0
        var ended: [UInt32] = []
        var releases = true
        let url: String

        init(_ kind: Kind, loop: Bool) throws {
            process =
                switch kind {
                case .scripted: try ScriptedDecoder().start()
                case .real: try DecoderProcess.spawn(path: Stage.decoderPath)
                }
            url = try #require(Stage.clip).absoluteString
            try process.channel.send(.surface(SurfaceRequest(generation: 1, width: 64, height: 48, fill: true)))
            try process.channel.send(.open(url: url, start: 0, loop: loop, sound: true))
        }

        deinit {
            process.kill()
            process.reap()
        }

        func run(until done: (Session) -> Bool) throws {
            while !done(self) {
                let message = try process.channel.receive()
                switch message {
                case .opened(let info): opened.append(info)
                case .picture(let header):
                    pictures.append(header)
                    if releases { try process.channel.send(.release(slot: header.slot)) }
                case .sound(_, _, _, let samples): soundFrames += samples.count / 2
                case .ended(let serial): ended.append(serial)
                case .failed(_, let why): throw PlaybackFailure(why: why)
                default:
                    if let answer = try server.answer(message, asset: url) { try process.channel.send(answer) }
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
        // Sound goes on after the last slot is full, and shows that no picture follows.
        try session.run { $0.pictures.count >= 4 && $0.opened.count == 1 }
        try session.process.channel.send(.credit(frames: 24_000))
        try session.run { $0.soundFrames >= 24_000 }
        let slots = session.pictures.map(\.slot)
        #expect(Set(slots).count == slots.count)
        #expect(slots.allSatisfy { $0 < PictureRing.slots })
        #expect(session.soundFrames == 24_000)
    }

    @Test(arguments: Kind.allCases) func seekGoesOnWithItsSerialFromItsTime(kind: Kind) throws {
        let session = try Session(kind, loop: false)
        try session.run { $0.pictures.count == 3 }
        try session.process.channel.send(.seek(serial: 9, time: 2_000_000, mode: .exact))
        try session.run { $0.pictures.last?.serial == 9 && $0.pictures.count > 8 }
        let first = try #require(session.pictures.first { $0.serial == 9 })
        #expect(first.mediaTime <= 2_000_000 && first.mediaTime > 1_950_000)
        let old = try #require(session.pictures.lastIndex { $0.serial == 0 })
        #expect(session.pictures[...old].allSatisfy { $0.serial == 0 })
    }

    @Test(arguments: Kind.allCases) func endIsToldAfterTheLastPictureAndWhatWasGranted(kind: Kind) throws {
        let session = try Session(kind, loop: false)
        try session.process.channel.send(.credit(frames: 48_000 * 20))
        try session.run { !$0.ended.isEmpty }
        #expect(session.ended == [0])
        let duration = try #require(session.opened.first?.duration)
        let last = try #require(session.pictures.last)
        #expect(abs(last.mediaTime + last.duration - duration) <= 50_000)
        #expect(abs(session.soundFrames - Int(duration) * 48 / 1_000) < 4_800)
    }

    @Test(arguments: Kind.allCases) func loopGoesOnRisingWhileTheClipBeginsAgain(kind: Kind) throws {
        let session = try Session(kind, loop: true)
        try session.process.channel.send(.credit(frames: 48_000 * 20))
        try session.run { $0.pictures.contains { $0.pts > 6_500_000 } }
        let pictures = session.pictures
        #expect(zip(pictures, pictures.dropFirst()).allSatisfy { $0.pts < $1.pts })
        #expect(zip(pictures, pictures.dropFirst()).count { $0.mediaTime > $1.mediaTime } == 1)
    }
}
