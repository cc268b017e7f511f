import Foundation
import TestSupport
import Testing

@testable import Bytes

@Suite(.serialized) struct CachedDoorTests {
    let stage: DoorStage

    init() throws { stage = try DoorStage() }

    private func serve(_ path: String, length: Int64, seed: UInt64 = 1, _ faults: [Fault] = []) -> String {
        stage.server.serve(path, Resource(.pattern(length: length, seed: seed), faults: faults))
        return stage.server.url(path)
    }

    private func pattern(_ offset: Int64, _ count: Int, seed: UInt64 = 1) -> [UInt8] {
        PatternBytes.bytes(seed: seed, at: offset, count: count)
    }

    @Test func httpWithoutACacheKeepsTheContract() throws {
        let door = stage.door(cached: false)
        let faults = try ByteSourceContract.faults { bytes in
            let path = "/\(UUID().uuidString).mp4"
            stage.server.serve(path, bytes)
            return try door.open(stage.server.url(path))
        }
        #expect(faults == [])
    }

    @Test func anUncachedFileKeepsTheContract() throws {
        let door = stage.door()
        let faults = try ByteSourceContract.faults { bytes in
            let path = "/\(UUID().uuidString).mp4"
            stage.server.serve(path, bytes)
            return try door.open(stage.server.url(path))
        }
        #expect(faults == [])
    }

    @Test func aServerWithoutRangesKeepsTheContract() throws {
        let door = stage.door()
        for faults: [Fault] in [[.noRanges], [.noRanges, .chunked], [.chunked], [.noRanges, .noLength]] {
            let broken = try ByteSourceContract.faults { bytes in
                let path = "/\(UUID().uuidString).mp4"
                stage.server.serve(path, bytes, faults: faults)
                return try door.open(stage.server.url(path))
            }
            #expect(broken == [], "\(faults)")
        }
    }

    @Test func aKeptFileKeepsTheContract() throws {
        let faults = try ByteSourceContract.faults { bytes in
            let path = "/\(UUID().uuidString).mp4"
            stage.server.serve(path, bytes)
            let url = stage.server.url(path)
            let cold = stage.door()
            _ = try cold.open(url).bytes(at: 0, count: bytes.count + 1)
            cold.close()
            return try stage.door().open(url)
        }
        #expect(faults == [])
    }

    @Test func theSecondPlayCostsNothing() throws {
        let url = serve("/clip.mp4", length: 3_000_000)
        let door = stage.door()
        #expect(try door.open(url).bytes(at: 0, count: 4_000_000) == pattern(0, 3_000_000))
        door.close()
        stage.forget()
        let again = stage.door()
        let source = try again.open(url)
        #expect(source.length == 3_000_000)
        #expect(source.isSeekable)
        #expect(try source.bytes(at: 0, count: 4_000_000) == pattern(0, 3_000_000))
        #expect(stage.server.counts.requests == 0)
        stage.server.stop()
        let offline = stage.door()
        #expect(try offline.open(url).bytes(at: 1_000_000, count: 100) == pattern(1_000_000, 100))
    }
}
