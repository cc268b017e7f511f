import Model

/// The sources that `flick add` put into the home feed: a text with one a line, which people may edit. Empty lines and what begins with `#` stay as they are. A
/// value.
struct SourceList: Equatable {
    /// The most bytes of the text.
    static let sizeLimit = 1 << 20

    private var lines: [String]

    init(_ text: String) {
        // By bytes: as a character, a carriage return and a line feed are one.
        lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
        // The text ends with a line break.
        if lines.last?.isEmpty == true { lines.removeLast() }
    }

    var text: String { lines.map { $0 + "\n" }.joined() }

    /// In their order. A source that is named twice comes once.
    var sources: [String] {
        var known: Set<String> = []
        return lines.compactMap(Self.source).filter { known.insert($0).inserted }
    }

    /// Adds a source at the end. Returns false if it is there already.
    mutating func add(_ source: String) -> Bool {
        guard !sources.contains(source) else { return false }
        lines.append(source)
        return true
    }

    /// Returns false if it is not there.
    mutating func remove(_ source: String) -> Bool {
        let count = lines.count
        lines.removeAll { Self.source($0) == source }
        return lines.count < count
    }

    private static func source(_ line: String) -> String? {
        let source = line.trimmed
        return source.isEmpty || source.hasPrefix("#") ? nil : source
    }

    /// A source as it is kept, so that it means the same from any folder; nil if it is none, as standard input.
    ///
    /// - Parameter exists: whether there is a file or folder at an absolute path.
    static func kept(_ argument: String, exists: ([UInt8]) -> Bool) -> String? {
        guard !argument.isEmpty, argument != "-", argument.utf8.count <= 8_192 else { return nil }
        let path = FileURL.absolute(Array(argument.utf8))
        guard exists(path) else { return isLine(argument) && URLParts(argument)?.scheme != nil ? argument : nil }
        let text = String(validating: path, as: UTF8.self)
        return text.flatMap { isLine($0) ? $0 : nil } ?? FileURL.url(path: path)
    }

    /// Whether a text is one line that says only that.
    private static func isLine(_ text: String) -> Bool {
        text.trimmed == text && !text.hasPrefix("#") && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
