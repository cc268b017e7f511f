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
    /// What would be right: "at least 256KB".
    public var remedy: String?

    /// "config.toml line 7: cache.save_every is 100KB; at least 256KB".
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
