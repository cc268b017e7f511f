import Foundation
import Model
import TestSupport

/// One run of a whole program, with its output counted and dropped.
struct Run {
    /// User and system time of the program and all its children, in seconds.
    var processor: Double
    var wall: Double
    var bytes: Int
}

/// The measured programs, and how they are run.
struct Programs {
    var flick: String
    var peers: Set<String>

    init(flick: String) {
        self.flick = flick
        peers = Set(["mpv", "timg", "ffmpeg", "chafa", "jp2a"].filter { Programs.isInstalled($0) })
    }

    static func isInstalled(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    /// Whether a peer is installed. Without it, `figure` is not measured.
    func has(_ peer: String, for figure: String, _ report: inout Report) -> Bool {
        if peers.contains(peer) { return true }
        report.omit(figure, "\(peer) is not installed")
        return false
    }

    /// Throws unless the program is flick and shows a picture: anything else would be quick and small.
    func checkFlick() throws {
        let version = try Command.run([flick, "--version"])
        guard version.status == 0, version.output.hasPrefix("flick ") else {
            throw NotMeasured("it does not print flick's version")
        }
        guard let clip = try Clips.demo().first else { throw NotMeasured("there is no demo clip in Assets/demo") }
        try checkPicture([
            flick, "preview", "--surface", "half", "--color", "truecolor", "--size", "80x24", "Assets/demo/\(clip)",
        ])
    }

    /// Throws unless the program writes a picture of at least 24 rows to a pipe.
    func checkPicture(_ arguments: [String]) throws {
        var counter = PictureCounter()
        try Self.output(of: arguments).withUnsafeBytes { counter.count($0) }
        guard counter.cells >= 80 * 24 / 4 else {
            throw NotMeasured("no picture: \(arguments.joined(separator: " "))")
        }
    }

    /// Runs `arguments` to the end with standard output to a pipe (counted) or, with `discarding`, to /dev/null.
    func run(_ arguments: [String], discarding: Bool = false) throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.environment = ProcessInfo.processInfo.environment.merging([
            "TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": "200", "LINES": "61",
        ]) { $1 }
        let pipe = Pipe()
        process.standardOutput = discarding ? FileHandle.nullDevice : pipe
        let before = childrenSeconds()
        let start = ContinuousClock.now
        try process.run()
        var bytes = 0
        if !discarding {
            while true {
                let piece = pipe.fileHandleForReading.availableData
                if piece.isEmpty { break }
                bytes += piece.count
            }
        }
        process.waitUntilExit()
        let wall = start.duration(to: .now)
        guard process.terminationStatus == 0 else {
            throw NotMeasured("\(arguments.joined(separator: " ")) exited with \(process.terminationStatus)")
        }
        return Run(processor: childrenSeconds() - before, wall: wall / .seconds(1), bytes: bytes)
    }

    /// What a program writes to a pipe. Throws if it fails.
    static func output(of arguments: [String]) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm-256color"]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw NotMeasured("\(arguments.joined(separator: " ")) exited with \(process.terminationStatus)")
        }
        return [UInt8](bytes)
    }

    private func childrenSeconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// Milliseconds from the start of a program to its first picture in a terminal of 200×60: until it has drawn a
    /// quarter of the screen's cells.
    func firstPicture(_ arguments: [String], within limit: Duration = .seconds(10)) throws -> Double {
        let size = GridSize(columns: 200, rows: 60)
        let start = ContinuousClock.now
        let program = try PTYProcess(arguments, size: size, environment: ["XDG_CACHE_HOME": Session.cacheHome.path])
        var counter = PictureCounter()
        var answers = TerminalAnswers(columns: size.columns, rows: size.rows)
        var found: Double?
        program.read(for: limit) { bytes in
            // Queries come before the first picture is complete.
            let answer = answers.answer(bytes)
            if !answer.isEmpty { program.type(answer) }
            counter.count(bytes)
            if counter.cells >= size.cells / 4 { found = start.duration(to: .now) / .milliseconds(1) }
            return found == nil
        }
        guard let found else {
            throw NotMeasured("no picture within \(limit): \(arguments.joined(separator: " "))")
        }
        return found
    }
}

/// Counts the picture cells in a program's output, whichever half blocks and spaces it draws them with.
///
/// A page of text on a plain background has few colours, so nothing counts until there were more colours than text has.
struct PictureCounter {
    private static let coloursOfText = 100
    private(set) var cells = 0
    private var colours = 0
    private var last: UInt8 = 0
    /// The parameter of the current control sequence: REP repeats the previous cell that often.
    private var parameter = 0

    mutating func count(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            switch (last, byte) {
            // "38;" and "48;" begin every colour, and little else.
            case (UInt8(ascii: "3"), UInt8(ascii: "8")), (UInt8(ascii: "4"), UInt8(ascii: "8")): colours += 1
            // The second byte of U+2580…259F, and the space.
            case (0xE2, 0x96), (_, 0x20): if colours > Self.coloursOfText { cells += 1 }
            case (UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "b")):
                if colours > Self.coloursOfText { cells += parameter }
            default: break
            }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): parameter = min(parameter * 10 + Int(byte - 0x30), 1_000)
            default: parameter = 0
            }
            last = byte
        }
    }
}
