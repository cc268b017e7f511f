import Foundation
import Model
import Synchronization
import TestSupport

/// The program behind `make screen`: runs flick on demo and generated footage in hidden windows, of xterm
/// and kitty, and writes a folder of pictures, plus one picture of all for each group (`index-GROUP.png`).
///
/// Usage: flick-screens FLICK FOLDER [BEGINNING …]    (of the pictures' names: only those are made)
///        flick-screens FLICK --recording FILE.gif
///        flick-screens FLICK --half-drawn FOLDER [COUNT]    (see `HalfDrawn`)
@main
struct Screens {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 2 else {
            print("usage: flick-screens FLICK FOLDER [BEGINNING …]")
            exit(2)
        }
        if arguments[2] == "--half-drawn" {
            let given = arguments.count == 4 ? Int(arguments[4]) : HalfDrawn.usualCount
            guard (3...4).contains(arguments.count), let count = given, count > 0 else {
                print("usage: flick-screens FLICK --half-drawn FOLDER [COUNT]")
                exit(2)
            }
            exit(HalfDrawn.run(flick: absolute(arguments[1]), count: count, folder: absolute(arguments[3])))
        }
        if arguments[2] == "--recording", arguments.count == 3 {
            let footage = try Footage(folder: FlickBinary.root.appendingPathComponent(".build/screen-clips").path)
            return try Recording.make(flick: absolute(arguments[1]), footage, to: absolute(arguments[3]))
        }
        let (flick, folder) = (absolute(arguments[1]), absolute(arguments[2]))
        let wanted = arguments.dropFirst(2)
        let shots = Shots.all.filter { shot in wanted.isEmpty || wanted.contains { shot.name.hasPrefix($0) } }
        guard !shots.isEmpty else {
            print("No picture's name begins with \(wanted.joined(separator: " or ")). There are:")
            for shot in Shots.all { print("  " + shot.name) }
            exit(2)
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let footage = try Footage(folder: FlickBinary.root.appendingPathComponent(".build/screen-clips").path)

        // Two at a time: most of a picture's time is waiting.
        let next = Mutex(0), failures = Mutex(0)
        let start = ContinuousClock.now
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            let scratch = TemporaryFolder()
            func report(_ error: any Error, _ what: String) {
                failures.withLock { $0 += 1 }
                print("flick-screens: \(what): \(error)")
                fflush(nil)
            }
            let server: XServer
            do { server = try XServer(folder: scratch.path) } catch { return report(error, "no display") }
            while let number = next.withLock({ next in
                next += 1
                return next <= shots.count ? next - 1 : nil
            }) {
                let name = shots[number].name
                do {
                    try take(shots[number], flick: flick, footage, on: server, to: folder)
                    print("\(number + 1)/\(shots.count) \(name)")
                    fflush(nil)
                } catch {
                    report(error, name)
                }
            }
        }
        guard failures.withLock({ $0 }) == 0 else { exit(1) }
        for group in Set(shots.map(\.group)).sorted() { try index(group, in: folder) }
        print("\(shots.count) pictures in \(Int((ContinuousClock.now - start) / .seconds(1))) s: \(folder)")
    }

    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).path }

    private static func take(
        _ shot: Shot, flick: String, _ footage: Footage, on server: XServer, to folder: String
    ) throws {
        let scratch = TemporaryFolder()
        let options = ["--surface", shot.surface, "--color", shot.color] + shot.arguments
        let command = try [flick] + footage.arguments(shot.source) + options
        let window: any ShotWindow
        if shot.surface == "kitty" || shot.needsPartsFont {
            window = try Kitty(shot, command, on: server, folder: scratch.path)
        } else {
            window = try Xterm(shot, command, on: server, folder: scratch.path)
        }
        if shot.plays {
            guard window.wait(for: "first_frame") else { throw ShotError("no picture comes") }
            // The cover has faded by then. A clip that stalls is taken as it is.
            window.wait(forPictureAt: .seconds(1.2), upTo: .seconds(3))
        }
        for step in shot.steps {
            switch step {
            case .key(let text): window.type(text)
            case .mouse(let action, let column, let row): window.send(Shot.Step.bytes(action, column, row))
            case .doubleClick(let column, let row): window.send(Shot.Step.doubleClick(column, row))
            // What is taken is a moment of a motion, or a wait itself: no event says when it is there.
            case .wait(let time): usleep(UInt32(time / .microseconds(1)))
            case .event(let name, let times): window.wait(for: name, times: times, upTo: .seconds(8))
            }
        }
        let file = "\(folder)/\(shot.name).png"
        // One of an earlier run must not stand for it.
        unlink(file)
        try window.capture(to: file, atOnce: shot.isInMotion)
        try ShotImage(file).check(shot.size)
    }

    /// All pictures of a group, those of earlier runs too, with their names.
    private static func index(_ group: String, in folder: String) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasPrefix(group + "-") && $0.hasSuffix(".png")
        }.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
        let arguments = ["montage", "-label", "%t", "-font", "DejaVu-Sans-Mono", "-pointsize", "14"]
        let result = try Command.run(
            arguments + files.map { "\(folder)/\($0)" } + [
                "-tile", "\(min(5, files.count))x", "-geometry", "560x400>+8+8", "-background", "#303030", "-fill",
                "white",
                "\(folder)/index-\(group).png",
            ])
        guard result.status == 0 else { throw ShotError("cannot make the index of \(group): \(result.errors)") }
    }
}
