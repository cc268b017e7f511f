import Bytes
import Cache
import Foundation
import TestSupport

/// flick with a cache folder that disappears, is full, or cannot be used: it must play on and report that once.
struct BrokenCache {
    private let flick: String
    private let server: FaultyServer
    private let folder = TemporaryFolder()

    init(_ programs: Programs, _ clips: Clips) throws {
        flick = programs.flick
        server = try FaultyServer()
        // Slow, so that there is something left to fetch when the cache fails.
        server.link = .init(rate: 1_500_000)
        for number in 0..<3 { server.serve("/\(number).mp4", Resource(.file("\(try clips.ten())/clip\(number).mp4"))) }
    }

    func measure(_ report: inout Report) throws {
        try expectOneNotice("its folder removed while it plays", &report) { cache, _ in
            try FileManager.default.removeItem(atPath: cache)
        }
        try markVersion(in: folder.path + "/other")
        try expectOneNotice("a cache of another version", cache: "other", &report)
        if getuid() != 0 {
            try folder.folder("closed")
            chmod(folder.path + "/closed", 0o500)
            try expectOneNotice("a folder that cannot be written to", cache: "closed", &report)
        } else if try canMount() {
            try expectOneNotice("a folder that cannot be written to", cache: "ro", mount: "ro", &report)
        } else {
            report.omit("a folder that cannot be written to", "nothing can be mounted here")
        }
        if try canMount() {
            try expectOneNotice("a full disk", cache: "full", mount: "size=1m", &report)
        } else {
            report.omit("a full disk", "nothing can be mounted here")
        }
    }

    /// Plays three clips, with `damage` called after the first. Counts the pages that play, and the notices.
    ///
    /// - Parameter mount: options of a separate file system in memory at the cache's place.
    private func expectOneNotice(
        _ name: String, cache: String = "cache", mount: String? = nil,
        _ report: inout Report, damage: (_ cache: String, Session) throws -> Void = { _, _ in }
    ) throws {
        let place = folder.path + "/" + cache
        var (before, plain) = ([String](), flick)
        if let mount {
            try folder.folder(cache)
            let script = "mount -t tmpfs -o \(mount) tmpfs \"$0\" && exec \"$@\""
            before = Self.unshare + ["sh", "-c", script, place, flick]
            plain = before.removeFirst()
        }
        let session = try Session(
            plain, before: before, (0..<3).map { server.url("/\($0).mp4") }, ["--no-audio", "--cache-dir", place])
        session.run(.seconds(2))
        try damage(place, session)
        for _ in 0..<2 {
            session.program.type("j")
            session.run(.seconds(2))
        }
        let trace = try session.finish()
        let playing = Set(trace.events("first_frame").compactMap { $0.text("item") }).count
        let said = trace.events("error").count
        report.figure("\(name): clips that play, of 3", Double(playing), "", atLeast: 3)
        report.figure("\(name): notices", Double(said), "", atMost: 1)
        if said < 1 { report.figure("\(name): said", 0, "", atLeast: 1) }
    }

    /// Marks the cache that flick made as one of another version. SQLite does it: a part of the index may still be in
    /// its write-ahead log.
    private func markVersion(in cache: String) throws {
        let session = try Session(flick, [server.url("/0.mp4")], ["--no-audio", "--cache-dir", cache])
        session.run(.seconds(1))
        _ = try session.finish()
        let script = "import sqlite3, sys\nsqlite3.connect(sys.argv[1]).execute('PRAGMA user_version = 32767')"
        let marked = try Command.run(["python3", "-c", script, cache + "/index.db"])
        guard marked.status == 0 else {
            throw PTYProcess.Error(description: "the index in \(cache) cannot be marked: \(marked.errors)")
        }
    }

    /// Runs one program in its own mount namespace, with no more rights than the user has.
    private static let unshare = getuid() == 0 ? ["unshare", "-m"] : ["unshare", "-r", "-m"]

    private func canMount() throws -> Bool {
        let place = try folder.folder("mount")
        return try Command.run(Self.unshare + ["mount", "-t", "tmpfs", "tmpfs", place]).status == 0
    }
}
