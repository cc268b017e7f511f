import Foundation
import Testing

/// All texts of the sources in one file, `strings.txt`, so that a review of flick's English is a diff. After a change:
/// `FLICK_REGENERATE=1 swift test --filter UserStringsTests`.
@Suite struct UserStringsTests {
    /// Words in other languages, and names of characters.
    private static let tables: Set = ["Feeds/Entries/DateNames.swift", "Model/Text/HTMLEntity.swift"]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    /// The string literals of a Swift file, in order. An interpolation becomes `\(…)`.
    static func literals(in source: String) -> [String] {
        var scanner = LiteralScanner(source)
        return scanner.all()
    }

    /// Whether a literal is a text: two words at least, and no SQL.
    static func isText(_ literal: String) -> Bool {
        let sql = ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "PRAGMA", "ALTER", "WITH", "DROP", "ON CONFLICT"]
        let words = literal.split { $0 == " " || $0 == "\n" }.filter { word in
            word.contains { $0.isLetter && $0.isLowercase } || word.contains("\\(…)")
        }
        return words.count > 1 && words.contains { $0.count > 1 && !$0.contains("\\(…)") }
            && !sql.contains { literal.drop { $0 == " " || $0 == "\n" }.hasPrefix($0) }
    }

    private static func listing() throws -> String {
        let sources = folder.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
        let walker = try #require(FileManager.default.enumerator(atPath: sources.path))
        let names = walker.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") && !tables.contains($0) }
        #expect(names.count > 500)
        var text = ""
        for name in names.sorted() {
            let source = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
            let texts = literals(in: source).filter(isText)
            guard !texts.isEmpty else { continue }
            text += "# \(name)\n" + texts.map { "\($0.replacing("\n", with: "\n    "))\n" }.joined() + "\n"
        }
        return text
    }

    @Test func textsAreThoseThatWereRead() throws {
        let file = Self.folder.appendingPathComponent("strings.txt")
        let listing = try Self.listing()
        if ProcessInfo.processInfo.environment["FLICK_REGENERATE"] == "1" {
            try listing.write(to: file, atomically: true, encoding: .utf8)
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        let changed = golden.split(separator: "\n").difference(from: listing.split(separator: "\n"))
        let first = changed.first.map { "\($0)" } ?? "blanks"
        #expect(
            golden == listing,
            """
            texts have changed: FLICK_REGENERATE=1 swift test --filter UserStringsTests, and read the difference; \
            \(changed.count) lines, such as \(first)
            """)
    }

    @Test func literalsAreFound() {
        let source = #"""
            // "a comment"
            let one = "two words", two = "a \(name("b c")) \"d\""
            /* "another comment" */ let three = #"raw "text" \(no)"#
            let four = """
                lines of
                text
                """
            """#
        #expect(
            Self.literals(in: source) == [
                "two words", #"a \(…) \"d\""#, #"raw "text" \(no)"#, "\n    lines of\n    text\n    ",
            ])
        #expect(Self.isText("two words") && Self.isText("cannot \\(…)"))
        #expect(!Self.isText("word") && !Self.isText("SELECT a FROM b") && !Self.isText("\\(…) \\(…)"))
    }
}

/// Finds string literals in Swift.
private struct LiteralScanner {
    private let text: [Character]
    private var place = 0

    init(_ source: String) { text = Array(source) }

    private func follows(_ word: String) -> Bool { text[place...].starts(with: word) }

    private mutating func skip(past end: String) {
        while place < text.count, !follows(end) { place += 1 }
        place = min(place + end.count, text.count)
    }

    mutating func all() -> [String] {
        var found: [String] = []
        while place < text.count {
            // Quick, as there are millions of others.
            guard text[place] == "/" || text[place] == "\"" || text[place] == "#" else {
                place += 1
                continue
            }
            if follows("//") {
                skip(past: "\n")
            } else if follows("/*") {
                skip(past: "*/")
            } else if let literal = literal() {
                found.append(literal)
            } else {
                place += 1
            }
        }
        return found
    }

    /// The literal that begins here; nil if none does.
    private mutating func literal() -> String? {
        let hashes = String(text[place...].prefix { $0 == "#" })
        let begin = place
        place += hashes.count
        guard follows("\"") else {
            place = begin
            return nil
        }
        let quote = follows("\"\"\"") ? "\"\"\"" : "\""
        place += quote.count
        var literal = ""
        while place < text.count, !follows(quote + hashes) {
            if follows("\\" + hashes + "(") {
                place += 2 + hashes.count
                skipInterpolation()
                literal += "\\(…)"
            } else if hashes.isEmpty, text[place] == "\\", place + 1 < text.count {
                literal += String(text[place...place + 1])
                place += 2
            } else {
                literal.append(text[place])
                place += 1
            }
        }
        place = min(place + quote.count + hashes.count, text.count)
        return literal
    }

    private mutating func skipInterpolation() {
        var depth = 1
        while place < text.count, depth > 0 {
            if follows("\"") {
                _ = literal()
                continue
            }
            if text[place] == "(" { depth += 1 }
            if text[place] == ")" { depth -= 1 }
            place += 1
        }
    }
}
