import Feeds
import Model

extension ConfigValueParser where Value == [FeedSource] {
    /// The sources of the home feed: each a text, or a table with its address, name and weight.
    static var sources: ConfigValueParser {
        let weights = "\(FeedSource.weights.lowerBound) to \(Int(FeedSource.weights.upperBound))"
        return ConfigValueParser(
            wants:
                "a list of folders, files and addresses in quotes, or { url = \"...\", name = \"...\", weight = 2 }, weights from \(weights)",
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
