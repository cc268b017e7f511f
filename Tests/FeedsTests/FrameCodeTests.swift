import Foundation
import TestSupport
import Testing

/// Tests the test clips themselves.
@Suite struct FrameCodeTests {
    private func decode(_ bits: [Int]) -> Int? {
        FrameCode.decode { x, _ in
            let block = Int((x - FrameCode.left) / FrameCode.width * Double(FrameCode.blocks))
            return bits[min(max(block, 0), 9)] == 1 ? 230 : 20
        }
    }

    @Test func everyNumberIsDecodedAndSingleFaultsAreDetected() {
        for number in 0..<256 {
            let bits = FrameCode.bits(of: number)
            #expect(decode(bits) == number)
            for fault in 0..<10 {
                var torn = bits
                torn[fault] ^= 1
                #expect(decode(torn) == nil)
            }
        }
        #expect(FrameCode.decode { _, _ in 128 } == nil)
    }

    @Test func clipsCarryTheirFrameNumbers() throws {
        let clip = try TestClips.path(.init("coded-small-1.mp4", width: 160, height: 90, seconds: 10, tone: 0))
        let folder = TemporaryFolder()
        let pictures = folder.path + "/pictures"
        let result = try Command.run([
            "ffmpeg", "-loglevel", "error", "-nostdin", "-i", clip, "-f", "rawvideo", "-pix_fmt", "gray", pictures,
        ])
        try #require(result.status == 0, "\(result.errors)")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: pictures)))
        let size = 160 * 90
        #expect(bytes.count == 300 * size)
        for number in 0..<bytes.count / size {
            let found = FrameCode.decode { x, y in Double(bytes[number * size + Int(y * 90) * 160 + Int(x * 160)]) }
            #expect(found == number % 256)
        }
    }
}
