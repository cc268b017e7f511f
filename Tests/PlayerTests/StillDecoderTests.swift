import Bytes
import Foundation
import Model
import Testing
import Wire

@testable import Player

/// What flick takes from a decoder that makes stills. None of it is trusted.
@Suite(.serialized) @MainActor struct StillDecoderTests {
    private let woken = DispatchSemaphore(value: 0)

    /// A decoder that greets, and answers a job for a surface of 64×48 with `answers`, once all of that has come.
    private func decoder(_ answers: [FromDecoder]) throws -> StillDecoder {
        let hostile = HostileDecoder { hand in
            try hand.send(.hello(version: WireLimit.version))
            try hand.hear { if case .still = $0 { true } else { false } }
            for answer in answers { try hand.send(answer) }
            hand.hearNothing()
        }
        let handle = DecoderHandle(try hostile.start(), bytes: .files) { [woken] in woken.signal() }
        let decoder = StillDecoder(
            handle, surface: SurfaceRequest(generation: 3, width: 64, height: 48, fit: .fill))
        decoder.begin(
            StillPlan.Job(item: "a", kind: .firstFrame, time: 0), of: Asset(url: "file:///a"), now: .zero)
        // A bound for what is broken; it does not come into play otherwise.
        let end = ContinuousClock.now + .seconds(10)
        while handle.traffic.received < answers.count + 1, ContinuousClock.now < end {
            _ = woken.wait(timeout: .now() + .milliseconds(1))
        }
        return decoder
    }

    private static func still(_ change: (inout PictureHeader) -> Void = { _ in }) -> FromDecoder {
        var header = PictureHeader(
            slot: 0, serial: 0, generation: 3, pts: 0, mediaTime: 0, duration: 0, width: 64, height: 48, stride: 64)
        change(&header)
        return .still(id: 1, header)
    }

    nonisolated enum Lie: CaseIterable {
        case none, width, height, generation, time
    }

    @Test(arguments: Lie.allCases) func impossiblePictureEndsTheDecoder(lie: Lie) throws {
        let answer = Self.still { header in
            switch lie {
            case .none: break
            case .width: (header.width, header.stride) = (65, 65)
            case .height: header.height = 49
            case .generation: header.generation = 4
            case .time: header.mediaTime = -1
            }
        }
        let decoder = try decoder([answer])
        defer { decoder.handle.end() }
        let outcome = decoder.advance(now: .zero) { _ in }
        switch outcome {
        case .still(let still):
            #expect(lie == .none && decoder.isUsable && still.picture.size == PixelSize(width: 64, height: 48))
        case .failed: #expect(lie != .none && !decoder.isUsable)
        default: Issue.record("no outcome")
        }
    }

    @Test func decoderThatFloodsIsEndedUnread() throws {
        let decoder = try decoder([Self.still()] + Array(repeating: .noStill(id: 1, code: .other, why: ""), count: 99))
        defer { decoder.handle.end() }
        var taken = 0
        _ = decoder.advance(now: .zero) { _ in taken += 1 }
        #expect(taken == StillDecoder.messagesAtOnce && !decoder.isUsable)
    }
}
