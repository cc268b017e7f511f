import Foundation
import Model
import TestSupport

/// 10,000 random operations of a person who hides creators, in flick itself with its library and its feeds: turns
/// pages, goes from place to place, hides and shows creators again, has feeds read again and starts flick again.
func hiding(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    let chosen = ProcessInfo.processInfo.environment["FLICK_SEED"].flatMap { UInt64($0) }
    let seed = chosen ?? .random(in: 0..<1_000_000)
    let wanted = 10_000
    report.section("Hiding: \(wanted) random operations, seed \(seed) (FLICK_SEED)")
    let viewer = try HidingViewer(programs.flick, files: try clips.many(400), seed: seed)
    try viewer.run(wanted)
    report.note(
        "operations", viewer.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    report.note("creators hidden at the end", "\(viewer.hidden.count) of \(HidingViewer.creators)")
    for kind in HidingViewer.Operation.allCases where viewer.counts[kind.rawValue, default: 0] == 0 {
        throw NotMeasured("there was no operation of the kind: \(kind.rawValue)")
    }
    guard viewer.looked > wanted / 3 else { throw NotMeasured("a clip was in view after \(viewer.looked) operations") }
    report.figure("clips of hidden creators in view, opened or shown", Double(viewer.wrong.count), "", atMost: 0)
    for why in viewer.wrong.prefix(5) { report.note("  operation \(why.operation)", why.what) }
    let wrongRules = viewer.wrongRules.reduce(0) { $0 + $1.creators.count }
    report.figure("rules that the library has wrong, at each start", Double(wrongRules), "", atMost: 0)
    for start in viewer.wrongRules.prefix(5) {
        report.note("  operation \(start.operation)", start.creators.joined(separator: ", "))
    }
}

/// Presses keys at random, and knows from the control socket and the trace what flick shows and opens.
private final class HidingViewer {
    enum Operation: String, CaseIterable {
        case turn = "turns", place = "places", hide = "hides", undo = "undone", show = "shown again"
        case refresh = "refreshes", restart = "restarts"
    }

    static let creators = 20
    /// Not all: a feed needs clips to look at.
    private static let maxHidden = 12

    private(set) var hidden: [String] = []
    private(set) var counts: [String: Int] = [:]
    private(set) var wrong: [(operation: Int, what: String)] = []
    /// At each start: the creators whose rules the library lacks, or has against the user's last word.
    private(set) var wrongRules: [(operation: Int, creators: [String])] = []
    /// After how many operations a clip was in view.
    private(set) var looked = 0

    private let flick: String
    private let folder = TemporaryFolder()
    private var random: SeededRandom
    private var program: PTYProcess
    private var trace: TraceFollower
    /// The keys that flick has had.
    private var handledKeys = 0
    private var typedKeys = 0
    private var feedsRead = 0
    /// When flick had the last key, and when each creator was hidden, as the trace counts.
    private var lastKeyAt = 0.0
    private var hiddenAt: [String: Double] = [:]
    private var operation = 0
    /// The creators that `U` shows again one by one, the last one first.
    private var undoable: [String] = []
    private var runs = 0

    init(_ flick: String, files: String, seed: UInt64) throws {
        self.flick = flick
        random = SeededRandom(state: seed)
        let names = try FileManager.default.contentsOfDirectory(atPath: files).filter { $0.hasSuffix(".mp4") }.sorted()
        for (feed, part) in ["a", "b"].enumerated() {
            let items = names.enumerated().filter { $0.offset % 2 == feed }.map { number, name in
                let creator = number * 7 % Self.creators
                return """
                    {"id": "i\(number)-c\(creator)", "url": "\(files)/\(name)", "title": "Clip \(number)",
                    "creator": {"name": "Creator \(creator)", "url": "https://c.example/\(creator)"}}
                    """
            }
            try folder.write("\(part).json", "{\"items\": [\(items.joined(separator: ","))]}".utf8)
        }
        try FileManager.default.createDirectory(
            atPath: folder.path + "/run", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let sources = "[home]\nsources = [\"\(folder.path)/a.json\", \"\(folder.path)/b.json\"]\n"
        try folder.write("config.toml", (sources + "[desktop]\nmpris = false\ninhibit_sleep = false\n").utf8)
        (program, trace) = try Self.start(flick, folder, run: 0)
        try waitForStart()
    }

    private static func start(_ flick: String, _ folder: TemporaryFolder, run: Int) throws -> (
        PTYProcess, TraceFollower
    ) {
        let path = "\(folder.path)/trace-\(run)"
        let program = try PTYProcess(
            [
                flick, "--trace", path, "--config", "\(folder.path)/config.toml", "--no-audio", "--reduced-motion",
                "--state-dir", folder.path + "/state", "--cache-dir", folder.path + "/cache",
            ], size: GridSize(columns: 80, rows: 24),
            environment: ["XDG_RUNTIME_DIR": folder.path + "/run", "SDL_AUDIODRIVER": "dummy"])
        return (program, TraceFollower(path: path))
    }

    func run(_ count: Int) throws {
        while operation < count {
            operation += 1
            let status = try self.status()
            if status.creator != nil { looked += 1 }
            try perform(next(status), status)
            try look(because: "in view")
        }
        try quit()
    }

    // MARK: Operations

    private func next(_ status: Status) -> Operation {
        if status.place == "Hidden" { return Int.random(in: 0..<3, using: &random) == 0 ? .show : .place }
        if status.creator == nil, Int.random(in: 0..<10, using: &random) < 7 { return .place }
        if hidden.count >= Self.maxHidden { return Bool.random(using: &random) ? .show : .undo }
        switch Int.random(in: 0..<1_000, using: &random) {
        case ..<600: return .turn
        case ..<720: return .place
        case ..<840: return status.creator == nil ? .place : .hide
        case ..<900: return .undo
        case ..<940: return .show
        case ..<998: return .refresh
        default: return .restart
        }
    }

    private func perform(_ operation: Operation, _ status: Status) throws {
        var operation = operation
        switch operation {
        case .turn: try type([["j", "j", "j", "k", "G", "g"].randomElement(using: &random) ?? "j"])
        // What comes later would change the clip in view between a look at it and the keys that hide its creator.
        case .place:
            try type([Bool.random(using: &random) ? "\t" : "\u{1B}[Z"])
            try wait("another place") { try self.status().place != status.place }
        case .refresh:
            let before = feedsRead
            try type(["r"])
            try wait("the feed") { feedsRead > before }
        case .restart:
            try quit()
            runs += 1
            (program, trace) = try Self.start(flick, folder, run: runs)
            (handledKeys, typedKeys, undoable, hiddenAt) = (0, 0, [], [:])
            try waitForStart()
        case .hide:
            guard let creator = try settledStatus().creator else { return }
            // The second line is the creator.
            try type(["X", "j", "\r"])
            try waitUntilGone(creator)
            hidden.append(creator)
            undoable.append(creator)
            hiddenAt[creator] = lastKeyAt
        case .undo:
            if let creator = undoable.popLast() { hidden.removeAll { $0 == creator } } else { operation = .turn }
            try type(["U"])
        case .show:
            guard let newest = hidden.last else { return }
            // After an undo the page goes back to the clip, which closes a sheet: a person sees that before pressing X.
            let status = try settledStatus()
            // The list of what is hidden: its place has it, on a page the last line of X leads to it. Without a clip X
            // is that list, but in For You, which it can turn off.
            let isList = status.creator == nil && status.place != "For You"
            if status.place != "Hidden" { try type(isList ? ["X"] : ["X", "G", "\r"]) }
            // Its clips may be there at once.
            hidden.removeLast()
            undoable.removeAll { $0 == newest }
            try type(["\r"])
            if status.place != "Hidden" { try type(["\u{1B}"]) }
        }
        counts[operation.rawValue, default: 0] += 1
    }

    /// Types keys, and waits until flick has handled all of them.
    private func type(_ keys: [String]) throws {
        for key in keys {
            program.type(key)
            typedKeys += 1
            try wait("the key \(key.debugDescription)") { handledKeys >= typedKeys }
        }
    }

    /// What flick shows once that stays the same for a moment: lists that are looked at again come from another thread.
    private func settledStatus() throws -> Status {
        var last = try status()
        var since = ContinuousClock.now
        try wait("a page at rest") {
            let new = try status()
            if new != last { (last, since) = (new, .now) }
            return .now - since > .milliseconds(40)
        }
        return last
    }

    private func waitUntilGone(_ creator: String) throws {
        let end = ContinuousClock.now + .seconds(2)
        while try status().creator == creator {
            guard ContinuousClock.now < end else {
                return wrong.append((operation, "\(creator) stayed in view"))
            }
        }
        // What was drawn before is on its way to the terminal.
        program.read(for: .milliseconds(10)) { _ in true }
        try readTrace(enforces: false)
    }

    private func look(because why: String) throws {
        try readTrace()
        guard let creator = try status().creator, hidden.contains(creator) else { return }
        wrong.append((operation, "\(creator) \(why)"))
    }

    /// - Parameter enforces: whether nothing hidden may be among it.
    private func readTrace(enforces: Bool = true) throws {
        for line in try trace.next() {
            if line.event == "key" { (handledKeys, lastKeyAt) = (handledKeys + 1, line.time) }
            if line.event == "feed" { feedsRead += 1 }
            guard enforces, ["page", "settled", "claim", "warm", "first_frame", "fetch"].contains(line.event),
                let number = line.text("item")?.split(separator: "c").last, hidden.contains("Creator \(number)")
            else { continue }
            // What was being opened ahead when its creator was hidden may be ready a moment later.
            let began = line.time - (line.event == "warm" ? (line.number("ms") ?? 0) / 1_000 : 0)
            if began < hiddenAt["Creator \(number)", default: 0] { continue }
            wrong.append((operation, "Creator \(number): \(line.event)"))
        }
    }

    private func wait(_ what: String, until isDone: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(10)
        while true {
            try readTrace()
            if try isDone() { return }
            guard ContinuousClock.now < end, program.read(for: .milliseconds(1), { _ in true }) else {
                throw NotMeasured("flick did not answer to \(what) in operation \(operation)")
            }
        }
    }

    // MARK: The process

    private func waitForStart() throws {
        // `try?`: the socket is there after the first frame.
        try wait("its start") { (try? status()) != nil }
        let script =
            "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute("
            + "\"SELECT name FROM hidden ORDER BY number\"): print(row[0])"
        let path = folder.path + "/state/flick.db"
        guard runs > 0 else { return }
        let stored = try Command.run(["python3", "-c", script, path])
        guard stored.status == 0 else { throw NotMeasured("the library cannot be read: \(stored.errors)") }
        let rules = Set(stored.output.split(separator: "\n").map(String.init))
        let wrong = rules.subtracting(hidden).map { "has \($0)" } + Set(hidden).subtracting(rules).map { "lacks \($0)" }
        if !wrong.isEmpty { wrongRules.append((operation, wrong.sorted())) }
    }

    private func quit() throws {
        try readTrace()
        // The first q may only close the sheet of Hidden.
        program.type("qq")
        guard program.finish(within: .seconds(5)) == 0 else {
            throw NotMeasured("flick failed in operation \(operation)")
        }
    }

    private struct Status: Equatable {
        var title: String?
        var creator: String?
        var place: String
    }

    /// What flick shows, as it says itself.
    private func status() throws -> Status {
        let answer = try UnixClient.ask(
            "\(folder.path)/run/flick/\(program.pid).sock", "{\"version\":1,\"command\":\"status\"}\n")
        guard let object = try JSONSerialization.jsonObject(with: Data(answer)) as? [String: Any],
            object["ok"] as? Bool == true, let place = object["place"] as? String
        else { throw NotMeasured("flick's control socket answered \(String(decoding: answer, as: UTF8.self))") }
        return Status(title: object["title"] as? String, creator: object["creator"] as? String, place: place)
    }
}
