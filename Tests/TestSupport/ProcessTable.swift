import Foundation

/// The processes of this machine, for tests that look for children and orphans.
public enum ProcessTable {
    public struct Entry: Equatable, Sendable {
        public var pid: Int32
        public var parent: Int32
        /// `ps`'s state; the first letter is R, S, T (stopped), Z (ended, not reaped yet) …
        public var state: String
        /// The program's name, possibly cut to 15 letters.
        public var name: String

        /// Whether it runs or could run.
        public var isAlive: Bool { !state.hasPrefix("Z") }
    }

    public static func all() throws -> [Entry] {
        let text = try Command.run(["ps", "-A", "-o", "pid=,ppid=,stat=,comm="]).output
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: true)
            guard fields.count == 4, let pid = Int32(fields[0]), let parent = Int32(fields[1]) else { return nil }
            let name = fields[3].split(separator: "/").last.map(String.init) ?? ""
            return Entry(
                pid: pid, parent: parent, state: String(fields[2]), name: name.trimmingCharacters(in: .whitespaces))
        }
    }

    /// All living descendants of `pid`.
    public static func descendants(of pid: Int32) throws -> [Entry] {
        let all = try all().filter(\.isAlive)
        var found: [Entry] = []
        var parents: Set = [pid]
        while !parents.isEmpty {
            let children = all.filter { parents.contains($0.parent) }
            found += children
            parents = Set(children.map(\.pid))
        }
        return found
    }

    /// nil if there is no such process, not even one that has ended and was not reaped.
    public static func entry(of pid: Int32) throws -> Entry? { try all().first { $0.pid == pid } }

    public static func isAlive(_ pid: Int32) throws -> Bool { try entry(of: pid)?.isAlive ?? false }

    /// A process's private memory in bytes, without files and shared memory. Throws where /proc does not report it.
    public static func ownMemory(of pid: Int32) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        guard let kilobytes = line.flatMap({ Int($0.filter(\.isNumber)) }) else {
            throw Command.Error(description: "/proc/\(pid)/status has no RssAnon: the process has ended")
        }
        return kilobytes << 10
    }
}
