import Foundation
import Model
import TestSupport

/// A terminal's window with flick in it, whose pictures are taken. Used by one thread.
protocol ShotWindow: AnyObject {
    /// Where flick writes its trace.
    var tracePath: String { get }
    /// How many keys were typed.
    var keys: Int { get set }

    /// Sends what a terminal sends, and does not wait.
    func send(_ text: String)

    /// Starts to send the same. Returns a program whose end the caller waits for; nil: it is sent.
    func beginSending(_ text: String) throws -> pid_t?

    /// Stops flick, and writes what the window shows to `file`.
    ///
    /// - Parameter atOnce: does not wait until an update is complete, which can take a part of a slide.
    func capture(to file: String, atOnce: Bool) throws

    /// The window that is captured while flick runs, as `import -window` takes it.
    var captured: String { get }
    var display: String { get }
}

extension ShotWindow {
    func beginSending(_ text: String) throws -> pid_t? {
        send(text)
        return nil
    }

    /// The lines of the trace that are complete.
    var trace: [Substring] {
        // It is not there before flick has read its options.
        let text = fileText(tracePath) ?? ""
        return text.split(separator: "\n").filter { $0.hasSuffix("}") }
    }

    func count(of event: String) -> Int { trace.count { $0.contains("\"ev\":\"\(event)\"") } }

    /// Waits until the trace has the event `count` times. False if it never comes.
    @discardableResult
    func wait(for event: String, times count: Int = 1, upTo limit: Duration = .seconds(10)) -> Bool {
        holds(within: limit) { self.count(of: event) >= count }
    }

    /// Waits until a picture of `time` of the clip or later is on the terminal. False if none comes.
    @discardableResult
    func wait(forPictureAt time: Duration, upTo limit: Duration) -> Bool {
        holds(within: limit) {
            self.trace.contains { line in
                guard line.contains("\"ev\":\"picture\""), let start = line.firstRange(of: "\"pts\":")?.upperBound
                else {
                    return false
                }
                return Double(line[start...].prefix { "0123456789.".contains($0) }).map { $0 >= time / .seconds(1) }
                    ?? false
            }
        }
    }

    /// Types `text`, one key, and waits until flick has read it.
    func type(_ text: String) {
        keys += 1
        send(text)
        wait(for: "key", times: keys, upTo: .seconds(2))
    }

    /// Starts to write what the window shows to `file`, as PPM, while flick runs. The X server copies the window in one
    /// request, so a half-drawn screenshot is one of the terminal. The caller waits for the program's end.
    func beginCapture(to file: String) throws -> pid_t {
        try spawn(
            ["import", "-silent", "-window", captured, "-depth", "8", "ppm:" + file],
            environment: ShotEnvironment.inherited.merging(["DISPLAY": display]) { $1 })
    }
}

/// The environment of the programs in windows.
enum ShotEnvironment {
    static var inherited: [String: String] { ProcessInfo.processInfo.environment }

    /// flick's, which has to find nothing of the user's.
    static func flick(folder: String) -> [String: String] {
        inherited.merging([
            "LC_ALL": "C.UTF-8", "SDL_AUDIODRIVER": "dummy", "XDG_STATE_HOME": folder, "XDG_CACHE_HOME": folder,
            "XDG_CONFIG_HOME": folder,
        ]) { $1 }
    }
}

/// The size of a picture that was taken, and how many colors it has. A value.
struct ShotImage {
    let width: Int
    let height: Int
    let colors: Int

    init(_ file: String) throws {
        let result = try Command.run(["identify", "-format", "%w %h %k", file])
        let numbers = result.output.split(separator: " ").compactMap { Int($0) }
        guard result.status == 0, numbers.count == 3 else { throw ShotError("no picture: \(result.errors)") }
        (width, height, colors) = (numbers[0], numbers[1], numbers[2])
    }

    /// Throws unless it is a terminal's picture: as large as `size` cells, and of more than one color.
    func check(_ size: GridSize) throws {
        let (cellWidth, cellHeight) = (width / size.columns, height / size.rows)
        guard cellWidth >= 4, cellHeight >= 8, width == cellWidth * size.columns, height == cellHeight * size.rows
        else { throw ShotError("\(width)x\(height) pixels are no terminal of \(size.columns)x\(size.rows) cells") }
        guard colors > 1 else { throw ShotError("the window is blank") }
    }
}

struct ShotError: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
