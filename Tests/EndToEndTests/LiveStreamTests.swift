import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite struct LiveStreamTests {
        /// The playlist grows, but every segment is missing. The decoder waits and must not be replaced.
        @Test func streamWithoutSegmentsIsReportedAsMissing() throws {
            let server = try FaultyServer()
            defer { server.stop() }
            let began = ContinuousClock.now
            server.serve(
                "/live.m3u8",
                Resource(
                    .dynamic { _ in
                        let first = Int((ContinuousClock.now - began) / .seconds(2))
                        let segments = (first..<first + 3).map { "#EXTINF:2,\nmissing-\($0).ts\n" }.joined()
                        return Array(
                            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(first)\n\(segments)".utf8)
                    }, type: "application/vnd.apple.mpegurl", etag: nil))
            let flick = try FlickSession(["--reduced-motion", server.url("/live.m3u8")])
            let screen = try flick.terminal.waitUntil("the page that says why", within: .seconds(60)) {
                $0.contains("Enter retry") || $0.contains("404")
            }
            #expect(screen.contains("404"), "\(screen.rows)")
            #expect(try flick.trace("watchdog", "recover").isEmpty)
        }
    }
}
