import Bytes
import Model

/// A JSON manifest: an object with `items` (or `videos`), or a bare list; an item is an object with a `url`, or a plain URL.
struct Manifest {
    /// The most bytes of a manifest.
    static let sizeLimit = 64 << 20
    /// The most warnings that are kept; the last one counts the rest.
    static let warningLimit = 100

    var title: String?
    var next: String?
    var engagement: String?
    var items: [Item] = []
    /// One line for each item that was skipped, with its index and the reason.
    var warnings: [String] = []
    /// Items that were skipped, whether warned of or not.
    var skipped = 0

    /// Whether bytes look like a manifest: JSON's `{` or `[` after blanks and a byte order mark.
    static func isLikely(_ bytes: some Sequence<UInt8>) -> Bool {
        let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        let first = bytes.first { !blanks.contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Reads a manifest that lies at `url`: relative URLs in it start there, and what it may lead to depends on it (L9).
    static func parse(_ bytes: [UInt8], at url: String) throws(FeedsError) -> Manifest {
        let root: JSON
        do throws(JSONError) {
            root = try JSONParser.parse(bytes)
        } catch {
            throw .notJSON(url, error)
        }
        var manifest = Manifest()
        let list: [JSON]
        switch root {
        case .list(let values): list = values
        case .object:
            guard case .list(let values)? = root["items"] ?? root["videos"] else { throw .notManifest(url) }
            list = values
            manifest.title = root["title"]?.asText(limit: ItemReader.titleLimit)
            manifest.next = manifest.address(root, "next", at: url)
            manifest.engagement = manifest.address(root, "engagement", at: url)
        default: throw .notManifest(url)
        }
        manifest.read(list, at: url)
        return manifest
    }

    private mutating func read(_ list: [JSON], at url: String) {
        let reader = ItemReader(base: url)
        for (index, value) in list.enumerated() {
            do throws(ItemReader.Refusal) {
                items.append(try reader.item(value))
            } catch {
                skipped += 1
                warn("item \(index) is skipped: \(error.why)")
            }
        }
        if warnings.count > Manifest.warningLimit {
            let more = warnings.count - Manifest.warningLimit
            warnings.removeLast(more)
            warnings.append("and \(more) more")
        }
    }

    private mutating func warn(_ text: String) { warnings.append(text) }

    private mutating func address(_ root: JSON, _ key: String, at url: String) -> String? {
        guard let text = root[key]?.asText(limit: ItemReader.urlLimit) else { return nil }
        guard let address = URLParts.resolve(text, against: url), LinkPolicy.allows(address, from: url) else {
            warn("\"\(key)\" is ignored: it may not lead to \(ShownName.of(text))")
            return nil
        }
        return address
    }
}

extension JSON {
    /// A text, or a number as one; cut at `limit` scalars. Empty is nil.
    func asText(limit: Int) -> String? {
        switch self {
        case .text(let text):
            // A text of `limit` bytes cannot hold more scalars: nearly always there is nothing to count.
            if text.utf8.count <= limit { return text.isEmpty ? nil : text }
            return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))
        case .number(let number):
            return number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : String(number)
        default: return nil
        }
    }

    /// A number, or a text that spells one.
    var asNumber: Double? {
        switch self {
        case .number(let number): number
        case .text(let text):
            Double(String(text.drop { $0 == " " }.prefix { $0 != " " })).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// A count: whole and not negative.
    var asCount: Int? {
        guard let number = asNumber, number >= 0, number < 9e15 else { return nil }
        return Int(number)
    }

    var asFlag: Bool? {
        switch self {
        case .flag(let flag): flag
        case .text("true"): true
        case .text("false"): false
        default: nil
        }
    }

    /// The texts of a list, or of one text.
    func asTexts(limit: Int, each: Int) -> [String] {
        guard case .list(let values) = self else { return asText(limit: each).map { [$0] } ?? [] }
        return values.prefix(limit).compactMap { $0.asText(limit: each) }
    }
}
