import Model

/// Items as `flick feed --json` prints them: the manifest's own objects on one line, in the manifest's order of keys, plus `source`.
public enum ItemJSON {
    /// One line, without its line break, free of control characters. `source` is the feed's.
    public static func line(_ item: Item, source: String) -> String {
        var object = ObjectWriter()
        object.add("id", item.id)
        object.add("url", item.url)
        object.add("thumbnail", item.thumbnail)
        object.add("title", item.title)
        object.add("description", item.text)
        object.add("duration", raw: item.duration.map(seconds))
        object.add("published", item.published.map(RFC3339.text))
        object.add("creator", raw: item.creator.map(creator))
        object.add("tags", raw: item.tags.isEmpty ? nil : list(item.tags))
        object.add("sound", raw: item.sound.map(sound))
        object.add("trust", raw: item.trust.map(trust))
        object.add("stats", raw: item.stats.map(stats))
        object.add("link", item.link)
        object.add("own", raw: item.own ? "true" : "false")
        object.add("source", source)
        return object.text
    }

    private static func creator(_ creator: Item.Creator) -> String {
        var object = ObjectWriter()
        object.add("id", creator.id)
        object.add("name", creator.name)
        object.add("avatar", creator.avatar)
        object.add("url", creator.url)
        return object.text
    }

    private static func sound(_ sound: Item.Sound) -> String {
        var object = ObjectWriter()
        object.add("title", sound.title)
        object.add("artist", sound.artist)
        return object.text
    }

    private static func trust(_ trust: Item.Trust) -> String {
        var object = ObjectWriter()
        object.add("score", raw: String(trust.score))
        object.add("label", trust.label)
        object.add("reasons", raw: list(trust.reasons))
        return object.text
    }

    private static func stats(_ stats: Item.Stats) -> String {
        var object = ObjectWriter()
        object.add("likes", raw: stats.likes.map(String.init))
        object.add("dislikes", raw: stats.dislikes.map(String.init))
        object.add("comments", raw: stats.comments.map(String.init))
        object.add("saves", raw: stats.saves.map(String.init))
        object.add("shares", raw: stats.shares.map(String.init))
        return object.text
    }

    /// In seconds, to the millisecond.
    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = (duration / .milliseconds(1)).rounded()
        let text = String(milliseconds / 1_000)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func list(_ texts: [String]) -> String { "[" + texts.map(quoted).joined(separator: ",") + "]" }

    /// A JSON text. Whatever a terminal could obey or a line could break at is escaped, not only what JSON asks for: the output may be looked at.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default:
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator, .format: quoted += escaped(scalar)
                default: quoted.unicodeScalars.append(scalar)
                }
            }
        }
        return quoted + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    private struct ObjectWriter {
        private var fields: [String] = []

        mutating func add(_ key: String, _ text: String?) { add(key, raw: text.map(quoted)) }
        mutating func add(_ key: String, raw: String?) {
            if let raw { fields.append("\"\(key)\":\(raw)") }
        }

        var text: String { "{" + fields.joined(separator: ",") + "}" }
    }
}
