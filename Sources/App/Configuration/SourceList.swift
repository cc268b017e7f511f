import Feeds
import Model

/// The sources that `flick add` put into the home feed: a text file with one per line, which people may edit. The lines
/// below a source may set `name = …` and `weight = …`. Empty lines and lines that begin with `#` stay as they are. A
/// source is identified by the target of its line (see `ConfigPaths`), and its line stays as it was written. A value.
struct SourceList: Equatable {
    /// The most bytes of the text.
    static let sizeLimit = 1 << 20

    private enum Line: Equatable {
        case other
        case source(String)
        case name(String)
        case weight(String)
        /// As `name = …`, with another word.
        case unknown(String)

        init(_ text: String) {
            let text = text.trimmed
            guard !text.isEmpty, !text.hasPrefix("#") else {
                self = .other
                return
            }
            guard let (key, value) = Self.fact(in: text) else {
                self = .source(text)
                return
            }
            switch key {
            case "name": self = .name(value)
            case "weight": self = .weight(value)
            default: self = .unknown(key)
            }
        }

        /// The key and the value of `key = value`; nil for other text. No address or absolute path begins like that.
        private static func fact(in text: String) -> (key: String, value: String)? {
            guard let sign = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let key = String(text[..<sign]).trimmed
            guard !key.isEmpty, key.utf8.allSatisfy(isOfWord) else { return nil }
            return (key, String(text[text.utf8.index(after: sign)...]).trimmed)
        }

        private static func isOfWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }

        /// Whether the line sets a property of the source above it.
        var isOfSource: Bool {
            switch self {
            case .name, .weight, .unknown: true
            case .other, .source: false
            }
        }
    }

    private var lines: [String]
    private let paths: ConfigPaths

    init(_ text: String, _ paths: ConfigPaths) {
        self.paths = paths
        // By bytes: as a character, a carriage return and a line feed are one.
        lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
        }
        // The text ends with a line break.
        if lines.last?.isEmpty == true { lines.removeLast() }
    }

    var text: String { lines.map { $0 + "\n" }.joined() }

    /// What the lines lead to, in their order. A source that is named twice comes once, as it is named first.
    var sources: [FeedSource] { read().sources }

    /// What lines say wrongly, which counts as not said.
    var mistakes: [ConfigDiagnostic] { read().mistakes }

    private func read() -> (sources: [FeedSource], mistakes: [ConfigDiagnostic]) {
        var (sources, mistakes): ([FeedSource], [ConfigDiagnostic]) = ([], [])
        var known: Set<String> = []
        // Of a repetition nothing counts.
        var (isFirst, hasSource) = (false, false)
        for (place, line) in lines.enumerated() {
            func mistake(_ problem: String, _ remedy: String) {
                mistakes.append(ConfigDiagnostic(weight: .warning, line: place + 1, problem: problem, remedy: remedy))
            }
            let line = Line(line)
            if case .unknown(let key) = line {
                let nearest = NearestName.of(key, among: ["name", "weight"]).map { "did you mean \($0)?" }
                mistake(
                    "unknown key '\(CleanText.line(key, limit: 60))'",
                    nearest ?? "use name or weight, or ./ before a file of that name")
                continue
            }
            if line.isOfSource, !hasSource {
                mistake("this line belongs to no source", "put it below the line of a source")
                continue
            }
            switch line {
            case .other, .unknown: break
            case .source(let written):
                let text = paths.source(written)
                (isFirst, hasSource) = (known.insert(text).inserted, true)
                if isFirst { sources.append(FeedSource(text)) }
            case .name(let name):
                guard FeedSource.isName(name) else {
                    mistake(
                        "the name cannot be used", "expected 1 to \(FeedSource.nameLimit) printable characters")
                    continue
                }
                if isFirst { sources[sources.count - 1].name = name }
            case .weight(let text):
                guard let weight = Double(text), FeedSource.weights.contains(weight) else {
                    mistake("the weight is \(ConfigValue.text(text).shown)", "expected a number from 0.1 to 10")
                    continue
                }
                if isFirst { sources[sources.count - 1].weight = weight }
            }
        }
        return (sources, mistakes)
    }

    /// Adds sources at the end. Returns for each whether it is new.
    mutating func add(_ new: [FeedSource]) -> [Bool] {
        var known = Set(sources.map(\.text))
        return new.map { source in
            guard known.insert(source.text).inserted else { return false }
            lines.append(source.text)
            lines += Self.facts(of: source)
            return true
        }
    }

    /// Gives a source that is there another name or weight; nil leaves what it
    /// has. Returns false if that changes nothing.
    mutating func change(_ text: String, name: String?, weight: Double?) -> Bool {
        guard let place = lines.firstIndex(where: { leads($0, to: text) }),
            var source = sources.first(where: { $0.text == text })
        else { return false }
        let before = lines
        source.name = name ?? source.name
        source.weight = weight ?? source.weight
        lines.replaceSubrange(place + 1..<endOfFacts(after: place), with: Self.facts(of: source))
        return lines != before
    }

    /// Whether a line leads to a source.
    private func leads(_ line: String, to text: String) -> Bool {
        guard case .source(let written) = Line(line) else { return false }
        return paths.source(written) == text
    }

    /// Takes out a source, in whatever ways its lines are written, and returns it; nil if it is not there.
    mutating func remove(_ text: String) -> FeedSource? {
        let text = paths.source(text)
        guard let removed = sources.first(where: { $0.text == text }) else { return nil }
        while let place = lines.firstIndex(where: { leads($0, to: text) }) {
            lines.removeSubrange(place..<endOfFacts(after: place))
        }
        return removed
    }

    /// The end of the lines that set properties of the source in line `place`.
    private func endOfFacts(after place: Int) -> Int {
        lines[(place + 1)...].firstIndex { !Line($0).isOfSource } ?? lines.count
    }

    private static func facts(of source: FeedSource) -> [String] {
        let name = source.name.map { ["  name = \($0)"] } ?? []
        return name + (source.weight == 1 ? [] : ["  weight = \(plain(source.weight))"])
    }

    /// A weight in digits: 3, 0.5.
    static func plain(_ weight: Double) -> String { Int(exactly: weight).map(String.init) ?? "\(weight)" }

    /// The line to store for a source, which means the same from any folder; nil for what cannot be stored, such as
    /// standard input.
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
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && text.trimmed == text && Line(text) == .source(text)
    }
}
