/// A remark about a configuration file. A value.
public struct ConfigDiagnostic: Equatable, Sendable {
    public enum Weight: Int, Sendable {
        /// The line is correct, and has an effect that is easily missed.
        case note
        /// The line is ignored.
        case warning
        /// flick cannot continue.
        case error
    }

    public var weight: Weight
    /// Counted from 1; nil for a remark about the whole file.
    public var line: Int?
    /// What is wrong: "cache.save_every is 100KB".
    public var problem: String
    /// What to do: "expected at least 256KB".
    public var remedy: String?

    /// "config.toml line 7: cache.save_every is 100KB; expected at least 256KB".
    func text(of file: String) -> String {
        ConfigDiagnostic.text(problem, at: line, of: file) + (remedy.map { "; \($0)" } ?? "")
    }

    /// "config.toml line 7: cache.save_every is 100KB".
    static func text(_ problem: String, at line: Int?, of file: String) -> String {
        (line.map { "\(file) line \($0)" } ?? file) + ": \(problem)"
    }
}

/// A configuration that flick cannot continue with. Its description is one line. A value.
public struct ConfigError: Error, Equatable, CustomStringConvertible {
    public var message: String

    init(_ message: String) { self.message = message }

    public var description: String { message }
}

/// Finds the name that was probably meant by a mistyped one. Pure.
public enum NearestName {
    /// The name that needs the fewest changes, if that is at most two (swapping two letters counts as two). Otherwise a
    /// name in another section that ends as `text` does, or nil.
    public static func of(_ text: String, among names: [String]) -> String? {
        // A longer text was not meant as a name, and comparing takes time in proportion to its length.
        guard text.utf8.count <= 64 else { return nil }
        let ranked = names.map { (name: $0, changes: changes(from: Array(text.utf8), to: Array($0.utf8))) }
        if let nearest = ranked.min(by: { $0.changes < $1.changes }), nearest.changes <= 2 {
            return nearest.name
        }
        guard let last = text.split(separator: ".").last else { return nil }
        return names.first { $0.hasSuffix(".\(last)") }
    }

    /// How many letters must be inserted, removed or replaced (Levenshtein distance).
    private static func changes(from old: [UInt8], to new: [UInt8]) -> Int {
        var row = Array(0...new.count)
        for (index, letter) in old.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in new.indices {
                let changed = diagonal + (letter == new[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[new.count]
    }
}
