import Model
import Platform

/// Whether the machine, or the control group that flick runs in, is short of
/// memory. Only Linux reports this; elsewhere memory always counts as sufficient.
///
/// The sources, where they exist, are the kernel's pressure figures, which say how long
/// programs waited for memory; the group's counters of how often it reached its limit;
/// and the available memory. Main thread; a look reads a few small files of the kernel.
struct MemoryPressure {
    /// What the files of the kernel contain; nil for one that does not exist.
    struct Files {
        /// /proc/pressure/memory, or memory.pressure of the group.
        var pressure: [String] = []
        /// memory.events of the group.
        var events: String?
        /// /proc/meminfo.
        var available: String?
    }

    /// The percentage of the last ten seconds in which some program waited for memory.
    static let maxWaiting = 10.0
    /// The share of the memory that is to be left.
    static let minLeft = 0.05
    /// How long memory still counts as short after it was.
    static let aftermath = Duration.seconds(10)
    /// How often memory is checked.
    static let interval = Duration.seconds(5)

    private let files: @Sendable () -> Files
    private var limitReached: Int?
    private var shortAt: Duration?
    private var lookedAt: Duration?

    init(files: @escaping @Sendable () -> Files = MemoryPressure.system) { self.files = files }

    /// When to look next.
    var nextLook: Duration { lookedAt.map { $0 + MemoryPressure.interval } ?? .zero }

    /// Looks if it is time, and returns whether memory is short; nil if it is not time yet.
    mutating func look(now: Duration) -> Bool? {
        guard now >= nextLook else { return nil }
        lookedAt = now
        if isShort(files()) { shortAt = now }
        return shortAt.map { now < $0 + MemoryPressure.aftermath } ?? false
    }

    /// The system could not create a process: clips are closed as if memory were short. The next `look` reports it.
    mutating func noteShortage(now: Duration) {
        shortAt = now
        lookedAt = nil
    }

    private mutating func isShort(_ files: Files) -> Bool {
        if files.pressure.contains(where: { waiting($0) >= MemoryPressure.maxWaiting }) { return true }
        // memory.events counts from the group's beginning: what counts is that it rises.
        let reached = files.events.map { figure("high", in: $0) + figure("max", in: $0) + figure("oom", in: $0) }
        defer { limitReached = reached }
        if let reached, let limitReached, reached > limitReached { return true }
        guard let text = files.available else { return false }
        let (total, left) = (figure("MemTotal:", in: text), figure("MemAvailable:", in: text))
        return total > 0 && Double(left) < Double(total) * MemoryPressure.minLeft
    }

    /// "some avg10=1.25 avg60=…" (Documentation/accounting/psi.rst of the kernel).
    private func waiting(_ text: String) -> Double {
        let some = text.split(separator: "\n").first { $0.hasPrefix("some ") }
        let field = some?.split(separator: " ").first { $0.hasPrefix("avg10=") }
        return field.flatMap { Double($0.dropFirst(6)) } ?? 0
    }

    /// The number after a name at the start of a line; 0 if it is missing.
    private func figure(_ name: String, in text: String) -> Int {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count > 1, words[0] == name { return Int(words[1]) ?? 0 }
        }
        return 0
    }

    #if os(Linux)
        static let system: @Sendable () -> Files = {
            // "0::/user.slice/…": the group in the one hierarchy of cgroup v2.
            let group = text(at: "/proc/self/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::") }
                .map { "/sys/fs/cgroup\($0.dropFirst(3))" }
            let places = ["/proc/pressure/memory"] + (group.map { ["\($0)/memory.pressure"] } ?? [])
            return Files(
                pressure: places.compactMap(text), events: group.flatMap { text(at: "\($0)/memory.events") },
                available: text(at: "/proc/meminfo"))
        }
    #else
        static let system: @Sendable () -> Files = { Files() }
    #endif

    /// The beginning of a file of the kernel, which is made when it is read; nil if it cannot be.
    private static func text(at path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
            count = max(read(file, buffer.baseAddress, 4_096), 0)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
