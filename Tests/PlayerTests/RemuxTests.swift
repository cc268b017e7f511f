import Bytes
import Foundation
import Model
import TestSupport
import Testing
import Threads
import Wire

@testable import Player

/// What a decoder may send when it is to mux. (What comes of real clips, `MuxerTests` and `SavedClipTests` show.)
@Suite(.timeLimit(.minutes(1))) struct RemuxTests {
    private struct Full: Error {}

    private func file(
        _ messages: [FromDecoder], patience: Duration = .seconds(10), cancellation: Cancellation = Cancellation(),
        limit: Int = .max
    ) async -> Result<[UInt8]?, any Error> {
        await onThread {
            Result {
                var script = ScriptedDecoder()
                script.muxed = messages
                var file: [UInt8] = []
                let remux = Remux(
                    url: "file:///a", asset: Asset(url: "file:///a"), bytes: MediaBytes(local: FileProvider()))
                let isWhole = try remux.run(try script.start(), patience: patience, cancellation: cancellation) {
                    _, offset, bytes in
                    guard file.count < limit else { throw Full() }
                    let end = min(Int(offset) + bytes.count, file.count)
                    file.replaceSubrange(Int(offset)..<max(end, Int(offset)), with: bytes)
                }
                return isWhole ? file : nil
            }
        }
    }

    private func refusal(_ messages: [FromDecoder], patience: Duration = .seconds(10)) async -> String? {
        switch await file(messages, patience: patience) {
        case .success: nil
        case .failure(let error): "\(error)"
        }
    }

    @Test func partsCanReplaceWhatCameBefore() async throws {
        let messages: [FromDecoder] = [
            .muxed(.mp4, offset: 0, bytes: [1, 2, 3]), .variant(index: 0, why: ""),
            .muxed(.mp4, offset: 3, bytes: [4]), .muxed(.mp4, offset: 1, bytes: [9]), .ended(serial: 0),
        ]
        #expect(try await file(messages).get() == [1, 9, 3, 4])
    }

    @Test(
        arguments: [
            ([.muxed(.mp4, offset: 1, bytes: [1])], "a message has a bad offset"),
            (
                [.muxed(.mp4, offset: 0, bytes: [1]), .muxed(.mp4, offset: 1 << 60, bytes: [1])],
                "a message has a bad offset"
            ),
            ([.muxed(.mp4, offset: 0, bytes: [])], "a message has a bad offset"),
            (
                [.muxed(.mp4, offset: 0, bytes: [1]), .muxed(.matroska, offset: 1, bytes: [1])],
                "a message has a bad container"
            ),
            ([.ended(serial: 0)], "a message has a bad end"), ([.seekable], "a message has a bad kind"),
            ([.hello(version: WireLimit.version)], "a message has a bad version"),
            ([.failed(code: .other, why: "it is a live stream")], "it is a live stream"),
        ] as [([FromDecoder], String)])
    func protocolViolationsAreRefused(messages: [FromDecoder], why: String) async {
        #expect(await refusal(messages + [.ended(serial: 0)]) == why)
    }

    @Test func silentDecoderIsNotWaitedFor() async {
        #expect(await refusal([.muxed(.mp4, offset: 0, bytes: [1])], patience: .milliseconds(200)) == "no response")
    }

    @Test func whatTheWriterThrowsEndsIt() async {
        let messages: [FromDecoder] = [
            .muxed(.mp4, offset: 0, bytes: [1]), .muxed(.mp4, offset: 1, bytes: [1]), .ended(serial: 0),
        ]
        let result = await file(messages, limit: 1)
        #expect(throws: Full.self) { try result.get() }
    }

    @Test func cancelledOneEndsWithoutAnError() async throws {
        let cancellation = Cancellation()
        cancellation.cancel()
        #expect(try await file([.muxed(.mp4, offset: 0, bytes: [1])], cancellation: cancellation).get() == nil)
    }

    /// A muxer goes back to write sizes, not all of the file again and again.
    @Test func endlessReplacingIsRefused() async {
        let piece = FromDecoder.muxed(.mp4, offset: 0, bytes: [UInt8](repeating: 0, count: WireLimit.muxed))
        #expect(await refusal(Array(repeating: piece, count: 140)) == "too many bytes came")
    }
}
