/// Something to be said about a configuration file.
public struct ConfigRemark: Equatable, Sendable {
    public enum Weight: Int, Sendable {
        /// It is as it should be, and has no effect yet.
        case note
        /// It is left out.
        case warning
        /// Nothing goes on with it.
        case error
    }

    public var weight: Weight
    /// Counted from 1; nil if it is about the file as a whole.
    public var line: Int?
    /// What is wrong: "cache.save_every is 100KB".
    public var problem: String
    /// What would be right: "at least 256KB".
    public var remedy: String?

    /// "config.toml line 7: cache.save_every is 100KB; at least 256KB".
    func text(of file: String) -> String {
        ConfigRemark.text(problem, at: line, of: file) + (remedy.map { "; \($0)" } ?? "")
    }

    /// "config.toml line 7: cache.save_every is 100KB".
    static func text(_ problem: String, at line: Int?, of file: String) -> String {
        (line.map { "\(file) line \($0)" } ?? file) + ": \(problem)"
    }
}

/// A configuration that nothing can go on with. Its description is one line.
public struct ConfigError: Error, Equatable, CustomStringConvertible {
    public var message: String

    init(_ message: String) { self.message = message }

    public var description: String { message }
}
