import Cache
import Feeds
import Model
import TerminalInput
import UI

/// What a configuration key accepts, in words and as code. A value.
struct ConfigValueParser<Value>: Sendable {
    /// For messages: "a size such as 500MB, from 1MB to 1024TB".
    var wants: String
    /// Reads a value; nil if it is not accepted.
    var read: @Sendable (ConfigValue) -> Value?
    /// What is wrong with such a value, as a message after the key's name: "is 100KB".
    var problem: @Sendable (ConfigValue) -> String = { "is \($0.shown)" }
    /// Which element of a list that is not accepted is wrong, from 0; nil for other values.
    var place: @Sendable (ConfigValue) -> Int? = { _ in nil }
}

extension ConfigValueParser where Value == Bool {
    static let flag = ConfigValueParser(wants: "true or false") { value in
        if case .flag(let flag) = value { flag } else { nil }
    }
}

extension ConfigValueParser where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> ConfigValueParser {
        ConfigValueParser(wants: "a whole number from \(range.lowerBound) to \(range.upperBound)") { value in
            if case .integer(let number) = value, range.contains(number) { number } else { nil }
        }
    }
}

extension ConfigValueParser where Value == Double {
    /// - Parameter unit: the number is divided by this.
    static func number(_ range: ClosedRange<Double>, unit: Double = 1) -> ConfigValueParser {
        ConfigValueParser(wants: "a number from \(plain(range.lowerBound)) to \(plain(range.upperBound))") { value in
            let number: Double? =
                switch value {
                case .integer(let number): Double(number)
                case .number(let number): number
                default: nil
                }
            return number.flatMap { range.contains($0) ? $0 / unit : nil }
        }
    }

    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}

extension ConfigValueParser where Value == Double? {
    /// In LUFS; "off" is nil.
    static func loudness(_ range: ClosedRange<Double>) -> ConfigValueParser {
        let number = ConfigValueParser<Double>.number(range)
        return ConfigValueParser(wants: "\(number.wants), or \"off\"") { value in
            if case .text("off") = value { return .some(nil) }
            guard let loudness = number.read(value) else { return nil }
            return loudness
        }
    }
}

extension ConfigValueParser where Value == Int64 {
    /// Bytes.
    static func size(_ range: ClosedRange<Int64>) -> ConfigValueParser {
        let bounds = "from \(compact(range.lowerBound)) to \(compact(range.upperBound))"
        return ConfigValueParser(wants: "a size such as 500MB, \(bounds)") { value in
            bytes(value).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    static func bitrate(_ range: ClosedRange<Int64>) -> ConfigValueParser {
        let bounds = "from \(range.lowerBound / 1_000)k to \(range.upperBound / 1_000_000)M"
        return ConfigValueParser(wants: "bits per second such as 750k or 1.5M, \(bounds)") { value in
            let rate: Int64? =
                switch value {
                case .integer(let number): Int64(number)
                case .text(let text): Amount.bitsPerSecond(text)
                default: nil
                }
            return rate.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// As written in a configuration: "256KB".
    private static func compact(_ bytes: Int64) -> String {
        Amount.text(bytes: bytes).replacing(".0 ", with: "").filter { $0 != " " }
    }
}

extension ConfigValueParser where Value == SaveEvery {
    static var saveEvery: ConfigValueParser {
        let names = SaveEvery.names.map(\.name).joined(separator: ", ")
        return ConfigValueParser(wants: "at least 256KB and at most 16MB, or one of \(names)") { value in
            if case .text(let text) = value, let named = SaveEvery.names.first(where: { $0.name == text }) {
                return named.value
            }
            guard let count = bytes(value).flatMap({ Int(exactly: $0) }), CacheOptions.pieceSizes.contains(count) else {
                return nil
            }
            return .bytes(count)
        }
    }
}

/// A size as a number of bytes or with its unit.
private func bytes(_ value: ConfigValue) -> Int64? {
    switch value {
    case .integer(let number): Int64(number)
    case .text(let text): Amount.bytes(text)
    default: nil
    }
}

extension ConfigValueParser where Value == Duration {
    /// - Parameter bounds: the range in words.
    static func duration(_ range: ClosedRange<Duration>, _ bounds: String, such example: String) -> ConfigValueParser {
        ConfigValueParser(wants: "a length of time such as \(example), \(bounds)") { value in
            let time: Duration? =
                switch value {
                case .integer(let number): Amount.duration("\(number)")
                case .number(let number): Amount.duration("\(number)")
                case .text(let text): Amount.duration(text)
                default: nil
                }
            return time.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension ConfigValueParser {
    /// One of several names. A number needs no quotes.
    static func name(of names: [String], _ make: @escaping @Sendable (String) -> Value?) -> ConfigValueParser {
        ConfigValueParser(wants: "one of \(names.joined(separator: ", "))") { value in
            switch value {
            case .text(let text): make(text)
            case .integer(let number): make("\(number)")
            default: nil
            }
        }
    }

    /// A text; `make` returns nil if it is not accepted.
    static func text(_ wants: String, _ make: @escaping @Sendable (String) -> Value?) -> ConfigValueParser {
        ConfigValueParser(wants: wants) { value in
            if case .text(let text) = value { make(text) } else { nil }
        }
    }

    /// A list; `make` returns nil for an element that is not accepted.
    static func list<Element>(
        _ wants: String, _ make: @escaping @Sendable (ConfigValue) -> Element?
    ) -> ConfigValueParser where Value == [Element] {
        ConfigValueParser(wants: wants) { value in
            guard case .list(let values) = value else { return nil }
            let made = values.compactMap(make)
            return made.count == values.count ? made : nil
        }
    }
}

extension ConfigValueParser where Value == [String] {
    /// - Parameter what: what the list has: "topics".
    static func hidden(_ what: String) -> ConfigValueParser {
        let limit = 2_000
        return .list("a list of \(what) in quotes, each of 1 to \(limit) characters") { value in
            guard case .text(let text) = value, (1...limit).contains(text.utf8.count),
                !text.allSatisfy(\.isWhitespace)
            else { return nil }
            return text
        }
    }
}

extension ConfigValueParser where Value == [Key]? {
    /// The keys of an action: a name, or a list of names, which may be empty.
    static var keys: ConfigValueParser {
        let wants = "keys such as \"j\", \"down\", \"space\", \"ctrl-l\", \"alt-left\", \"f5\", or [] for none"
        return ConfigValueParser(
            wants: wants,
            read: { value in
                guard let names = keyNames(value) else { return nil }
                let keys = names.compactMap { Key(name: $0) }
                return keys.count == names.count ? .some(keys) : nil
            },
            problem: { value in
                guard let wrong = keyNames(value)?.first(where: { Key(name: $0) == nil }) else {
                    return "is \(value.shown)"
                }
                let nearest = NearestName.of(wrong.lowercased(), among: Key.namedKeys)
                let name = wrong.isEmpty ? "an empty name" : ConfigValue.text(wrong).shown
                return "has \(name), which is not a key" + (nearest.map { " (did you mean \($0)?)" } ?? "")
            })
    }
}

/// A digit needs no quotes.
private func keyNames(_ value: ConfigValue) -> [String]? {
    switch value {
    case .text(let text): [text]
    case .integer(let number): ["\(number)"]
    case .list(let values):
        values.reduce(into: [String]?.some([])) { names, value in
            guard let more = keyNames(value), more.count == 1 else { return names = nil }
            names?.append(more[0])
        }
    default: nil
    }
}

extension ConfigValueParser where Value == [FeedSource] {
    /// The sources of the home feed: each a text, or a table with its address, name and weight.
    static var sources: ConfigValueParser {
        let weights = "\(FeedSource.weights.lowerBound) to \(Int(FeedSource.weights.upperBound))"
        return ConfigValueParser(
            wants:
                "a list of folders, files and addresses in quotes, or { url = \"...\", name = \"...\", weight = 2 }, "
                + "weights from \(weights)",
            read: { value in
                guard case .list(let values) = value else { return nil }
                let sources = values.compactMap(source)
                return sources.count == values.count ? sources : nil
            },
            problem: { value in
                guard case .list(let values) = value, let wrong = values.first(where: { source($0) == nil }) else {
                    return "is \(value.shown)"
                }
                return "has \(mistake(in: wrong))"
            },
            place: { value in
                guard case .list(let values) = value else { return nil }
                return values.firstIndex { source($0) == nil }
            })
    }

    private static func source(_ value: ConfigValue) -> FeedSource? {
        switch value {
        case .text(let text): return isSource(text) ? FeedSource(text) : nil
        case .table(let table):
            guard Set(table.keys).isSubset(of: ["url", "name", "weight"]), case .text(let url)? = table["url"],
                isSource(url)
            else { return nil }
            var source = FeedSource(url)
            if let value = table["name"] {
                guard case .text(let name) = value, FeedSource.isName(name) else { return nil }
                source.name = name
            }
            if let value = table["weight"] {
                guard let weight = ConfigValueParser<Double>.number(FeedSource.weights).read(value) else { return nil }
                source.weight = weight
            }
            return source
        default: return nil
        }
    }

    private static func isSource(_ text: String) -> Bool { !text.isEmpty && text != "-" }

    /// What is wrong with a source that is not accepted: "weight 20".
    private static func mistake(in value: ConfigValue) -> String {
        guard case .table(let table) = value else { return value.shown }
        for (key, value) in table.sorted(by: { $0.key < $1.key }) {
            switch key {
            case "url", "name", "weight":
                var alone = table.filter { $0.key == "url" || $0.key == key }
                if key != "url" { alone["url"] = .text("/") }
                if source(.table(alone)) == nil { return "\(key) \(value.shown)" }
            default: return "\(CleanText.line(key, limit: 60)), which is not a key of a source"
            }
        }
        return "a source without a url"
    }
}
