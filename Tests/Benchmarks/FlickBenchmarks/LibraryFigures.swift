import Foundation
import TestSupport

/// A history of a million events beside none: the first picture, and what `flick history` lists first.
func library(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Library: a million events of 10,000 items")
    let (full, none) = (TemporaryFolder(), TemporaryFolder())
    let clip = try clips.long()
    // The tables are flick's own: a session makes them.
    let session = try Session(programs.flick, [clip], ["--state-dir", full.path])
    session.run(.seconds(2))
    _ = try session.finish()
    let filled = try Command.run(["python3", "-c", fill, full.path + "/flick.db"])
    guard filled.status == 0 else { throw PTYProcess.Error(description: filled.errors) }
    report.note("flick.db, MB", filled.output.trimmingCharacters(in: .whitespacesAndNewlines))
    var (with, without): ([Double], [Double]) = ([], [])
    // In turn, so that a slow moment of the machine affects both.
    for _ in 0..<9 {
        with.append(try programs.firstPicture([programs.flick, "--state-dir", full.path, clip]))
        without.append(try programs.firstPicture([programs.flick, "--state-dir", none.path, clip]))
    }
    report.note("first picture", with.median, "ms")
    report.note("first picture without a history", without.median, "ms")
    report.figure("apart", abs(with.median - without.median), "ms", atMost: 20)
    func list(_ arguments: String...) throws -> Double {
        var times: [Double] = []
        for _ in 0..<9 {
            let start = ContinuousClock.now
            // What starts it is not to be measured: Foundation's Process needs 50 ms.
            let pid = try spawn(
                [programs.flick] + arguments + ["--state-dir", full.path],
                environment: ["HOME": full.path, "PATH": "/usr/bin:/bin"])
            guard reap(pid) == 0 else { throw PTYProcess.Error(description: "\(arguments) failed") }
            times.append((ContinuousClock.now - start) / .milliseconds(1))
        }
        return times.median
    }
    report.figure("flick history, 50 items", try list("history", "--limit", "50"), "ms", atMost: 50)
    report.note("flick stats", try list("stats"), "ms")
}

/// Adds the items and events to the file in its first argument, and prints the file's size in megabytes.
private let fill = """
    import os, sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    db.executescript('''
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO item (scope, id, url, json, source, seen)
        SELECT 'bench', 'i' || i, 'file:///clips/' || i || '.mp4', '{"id":"i' || i || '","url":"file:///clips/' || i
            || '.mp4","title":"Clip ' || i || '","creator":{"name":"Creator ' || (i % 300) || '"},"tags":["t' || (i % 40)
            || '"]}', '/clips', 1750000000 + i * 60 FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
        INSERT INTO event (id, item, session, at, what, detail)
        SELECT 'e' || i, (SELECT min(number) FROM item WHERE scope = 'bench') + i % 10000, 's' || (i / 100),
            1750000000 + i * 0.6, CASE i % 4 WHEN 0 THEN 'summary' WHEN 1 THEN 'impression' WHEN 2 THEN 'view' ELSE 'start' END,
            '{"watch_time":12.5,"completion":0.5}' FROM n;
    ''')
    db.commit()
    print(os.path.getsize(sys.argv[1]) // 1000000)
    """
