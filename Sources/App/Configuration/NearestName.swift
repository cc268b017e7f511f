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
