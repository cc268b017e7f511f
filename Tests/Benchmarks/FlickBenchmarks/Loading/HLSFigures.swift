import Foundation
import TestSupport

/// From the start to the first picture of an uncached stream over a slow network.
func hls(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("HLS: the first picture over 2 Mbit/s and 100 ms, three variants up to 1280x720 at 2.5 Mbit/s")
    let feed = try ServedFeed(server: FaultyServer())
    feed.server.link = .slow
    func measure(_ arguments: [String]) throws -> (milliseconds: Double, bytes: Double) {
        feed.server.resetCounts()
        let time = try programs.firstPicture(arguments, within: .seconds(60))
        let bytes = Double(feed.server.counts.bodyBytes)
        _ = feed.server.waitUntil { $0.openConnections == 0 }
        return (time, bytes)
    }
    let master = feed.url(of: .variants)
    var own: [(milliseconds: Double, bytes: Double)] = []
    var mpv: [(milliseconds: Double, bytes: Double)] = []
    for _ in 0..<3 {
        let folder = TemporaryFolder()
        own.append(try measure([programs.flick, "--no-audio", "--cache-dir", folder.path, master]))
        guard programs.peers.contains("mpv") else { continue }
        mpv.append(try measure(["mpv", "--no-config", "--vo=tct", "--ao=null", "--really-quiet", master]))
    }
    let (time, bytes) = (own.map(\.milliseconds).median, own.map(\.bytes).median)
    report.note("flick", "\(Int(time)) ms, \(Int(bytes)) bytes")
    guard programs.has("mpv", for: "first picture and bytes, flick / mpv", &report) else { return }
    let peer = (time: mpv.map(\.milliseconds).median, bytes: mpv.map(\.bytes).median)
    report.note("mpv", "\(Int(peer.time)) ms, \(Int(peer.bytes)) bytes")
    report.figure("first picture, flick / mpv", time / peer.time, "", atMost: 0.5)
    report.figure("bytes until then, flick / mpv", bytes / peer.bytes, "", atMost: 1.0 / 3)
}
