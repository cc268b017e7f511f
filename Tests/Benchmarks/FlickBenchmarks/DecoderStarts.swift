import Foundation
import TestSupport
import Wire

/// 20,000 decoders, half of them while both cores are busy: each opens a clip and shows a picture. None may hang.
func starts(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    let count = 20_000
    report.section("Decoder starts: \(count), half of them with both cores busy")
    let nursery = Nursery(
        path: "\((programs.flick as NSString).deletingLastPathComponent)/flick-decoder")
    defer {
        nursery.end()
        nursery.waitForEnd()
    }
    let clip = try "\(clips.ten())/clip0.mp4"
    for isBusy in [false, true] {
        let load = isBusy ? try BusyCores() : nil
        defer { load?.end() }
        let times = try (0..<count / 2).map { _ in try firstPicture(of: clip, from: nursery) }
        let name = isBusy ? "both cores busy" : "idle machine"
        report.note("\(name): from request to picture, p50", times.median, "ms")
        report.note("\(name): from request to picture, p99", times.quantile(0.99), "ms")
        report.figure("\(name): from request to picture, most", times.max() ?? .nan, "ms", atMost: 1_000)
        report.figure("\(name): starts", Double(times.count), "", atLeast: Double(count / 2))
    }
}

/// Milliseconds from asking for a decoder to the clip's first picture. Throws if the decoder is silent for 10 s.
private func firstPicture(of clip: String, from nursery: Nursery) throws -> Double {
    let asked = ContinuousClock.now
    let rig = try SeekRig(nursery: nursery, clip: clip)
    defer { rig.end() }
    return (ContinuousClock.now - asked) / .milliseconds(1)
}

/// Two processes that compute until they are ended.
final class BusyCores {
    private let processes: [Process]

    init() throws {
        processes = try (0..<2).map { _ in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "while :; do :; done"]
            try process.run()
            return process
        }
    }

    func end() {
        for process in processes {
            process.terminate()
            process.waitUntilExit()
        }
    }
}
