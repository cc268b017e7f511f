import Foundation
import TestSupport

/// The files of a process in /proc. They do not exist for a process that has just ended, nor on systems other than
/// Linux.
enum ProcessFile {
    /// A field of /proc/PID/smaps_rollup, such as `Rss:`, in MiB; NaN if it cannot be read.
    static func memory(_ pid: pid_t, _ field: String) -> Double {
        guard let line = text(pid, "smaps_rollup")?.split(separator: "\n").first(where: { $0.hasPrefix(field) }),
            let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return .nan }
        return kilobytes / 1_024
    }

    /// How many descriptors it has open; NaN if it has ended.
    static func descriptors(_ pid: pid_t) -> Double {
        let count = entries(pid, "fd").count
        return count > 0 ? Double(count) : .nan
    }

    /// The processes that it has started and that have not been waited for.
    static func children(_ pid: pid_t) -> [pid_t] {
        // Each thread has separate children.
        threads(pid).flatMap { thread in
            (text(pid, "task/\(thread)/children") ?? "").split(separator: " ").compactMap { pid_t($0) }
        }
    }

    static func threads(_ pid: pid_t) -> [pid_t] { entries(pid, "task").compactMap { pid_t($0) } }

    /// All processes below it.
    static func descendants(_ pid: pid_t) -> [pid_t] {
        var (found, next): ([pid_t], [pid_t]) = ([], [pid])
        while let pid = next.popLast() {
            let children = children(pid)
            found += children
            next += children
        }
        return found
    }

    /// Its name, cut to 15 letters; empty if it has ended.
    static func name(_ pid: pid_t) -> String {
        (text(pid, "comm") ?? "").trimmingCharacters(in: .newlines)
    }

    /// `R`, `S`, `Z` (ended, and not waited for) …; nil if there is no such process.
    static func state(_ pid: pid_t) -> String? { stat(pid).first }

    /// User and system time in seconds; nil if it has ended.
    static func processor(_ pid: pid_t) -> Double? {
        let fields = stat(pid)
        guard fields.count > 12 else { return nil }
        return ((Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The same in nanoseconds, and more precisely: of its first thread.
    static func scheduled(_ pid: pid_t) -> Double {
        threads(pid).reduce(0) { sum, thread in
            sum + (text(pid, "task/\(thread)/schedstat")?.split(separator: " ").first.flatMap { Double($0) } ?? 0)
        }
    }

    /// /proc/PID/stat from the state on (proc_pid_stat(5)): what is before it may contain spaces.
    private static func stat(_ pid: pid_t) -> [String] {
        text(pid, "stat")?.split(separator: ")").last?.split(separator: " ").map(String.init) ?? []
    }

    /// A file of /proc/PID; nil if it, or the process, is not there.
    static func text(_ pid: pid_t, _ file: String) -> String? {
        fileText("/proc/\(pid)/\(file)")
    }

    private static func entries(_ pid: pid_t, _ folder: String) -> [String] {
        // None, if the process has just ended.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/\(folder)")) ?? []
    }
}
