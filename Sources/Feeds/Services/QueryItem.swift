import Model

/// Items of a URL's query, `name=value` between ampersands. Pure.
enum QueryItem {
    /// The first value of a name, decoded; nil if the name is missing.
    static func value(_ name: String, in query: String) -> String? {
        for item in query.split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0] == name else { continue }
            return decoded(parts[1].split(separator: "+", omittingEmptySubsequences: false).joined(separator: "%20"))
        }
        return nil
    }

    /// The URL with this value, which is encoded, in place of all that the name has.
    static func setting(_ name: String, to value: String, in url: String) -> String? {
        guard var parts = URLParts(url) else { return nil }
        let others = (parts.query ?? "").split(separator: "&").filter { $0 != name && !$0.hasPrefix("\(name)=") }
        parts.query = (others.map(String.init) + ["\(name)=\(PercentEncoding.component(value))"]).joined(separator: "&")
        return parts.text
    }

    /// Bytes that are not UTF-8 become U+FFFD.
    static func decoded(_ text: String) -> String { String(decoding: FileURL.percentDecoded(text), as: UTF8.self) }
}
