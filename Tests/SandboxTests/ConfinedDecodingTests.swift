import Bytes
import Foundation
import Player
import TestSupport
import Testing
import Wire

/// Clips of all codecs that people have, by the real flick-decoder in its sandbox: what a library looks for first, a
/// file or another call, it does without.
@Suite(.serialized) struct ConfinedDecodingTests {
    private static let program = URL(fileURLWithPath: FlickBinary.path).deletingLastPathComponent()
        .appendingPathComponent("flick-decoder").path

    struct Recipe: CustomTestStringConvertible, Sendable {
        var file: String
        var codecs: [String]
        var testDescription: String { file }

        init(_ file: String, _ codecs: String) {
            self.file = file
            self.codecs = codecs.split(separator: " ").map(String.init)
        }
    }

    static let recipes = [
        Recipe("h264.mp4", "-c:v libx264 -c:a aac"),
        Recipe("hevc.mkv", "-c:v libx265 -x265-params log-level=none -c:a ac3"),
        Recipe("vp8.webm", "-c:v libvpx -c:a libvorbis"), Recipe("vp9.webm", "-c:v libvpx-vp9 -c:a libopus"),
        Recipe("av1.mkv", "-c:v libaom-av1 -cpu-used 8 -c:a flac"), Recipe("mpeg2.ts", "-c:v mpeg2video -c:a mp2"),
        Recipe("mpeg4.avi", "-c:v mpeg4 -c:a libmp3lame"), Recipe("theora.ogg", "-c:v libtheora -c:a libvorbis"),
        Recipe("mjpeg.mov", "-c:v mjpeg -c:a pcm_s16le"), Recipe("prores.mov", "-c:v prores_ks -c:a alac"),
        Recipe("flv1.flv", "-c:v flv1 -c:a libmp3lame -ar 44100"), Recipe("ffv1.mkv", "-c:v ffv1 -c:a eac3"),
        Recipe("gif.gif", "-an -c:v gif"), Recipe("apng.png", "-an -c:v apng -f apng"),
        Recipe("webp.webp", "-an -frames:v 1 -c:v libwebp"), Recipe("jpeg.jpg", "-an -frames:v 1 -c:v mjpeg"),
    ]

    @Test(arguments: recipes) func clipPlaysToItsEnd(_ recipe: Recipe) throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/" + recipe.file
        let made = try Command.run(
            [
                "ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=0.6", "-f",
                "lavfi", "-i", "sine=f=440:d=0.6", "-pix_fmt", recipe.file.hasPrefix("gif") ? "rgb8" : "yuv420p",
            ] + recipe.codecs + [path])
        try #require(made.status == 0, "\(made.errors)")
        let run = try LinearDecode(
            url: URL(fileURLWithPath: path).absoluteString,
            pictures: SurfaceRequest(generation: 1, width: 64, height: 36, fit: .fit), start: .zero,
            decoderPath: Self.program, bytes: .files)
        var pictures = 0
        steps: while true {
            switch try run.next() {
            case .opened: break
            case .picture(let header):
                #expect(!header.isCorrupt)
                try run.withPicture(header) { _ in pictures += 1 }
            case .ended: break steps
            }
        }
        let isStill = recipe.codecs.contains("-frames:v")
        #expect(isStill ? pictures == 1 : (14...16).contains(pictures), "\(pictures) pictures")
    }
}
