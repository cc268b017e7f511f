/// Finds the name that a mistyped one was probably meant to be.
enum NearestName {
    /// The name that takes the fewest changes, if those are at most two (letters that changed places are two); else one that ends as `text` does, in another section. nil if none is near.
    static func of(_ text: String, among names: [String]) -> String? {
        // What is longer than any name was not meant to be one, and the work grows with its length.
        guard text.utf8.count <= 64 else { return nil }
        let ranked = names.map { (name: $0, changes: changes(from: Array(text.utf8), to: Array($0.utf8))) }
        if let nearest = ranked.min(by: { $0.changes < $1.changes }), nearest.changes <= 2 {
            return nearest.name
        }
        guard let last = text.split(separator: ".").last else { return nil }
        return names.first { $0.hasSuffix(".\(last)") }
    }

    /// How many letters must be put in, taken out or changed (Levenshtein's distance).
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
