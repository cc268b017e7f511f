import Model
import Testing

@testable import UI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The table of keys and the documents made from it. After a change of the table, make them again with
/// `FLICK_REGENERATE=1 swift test --filter UITests`.
struct KeyTableTests {
    @Test func everyActionIsInOneRow() {
        let listed = KeyTable.sections.flatMap(\.rows).flatMap(\.actions)
        #expect(listed.count == Action.allCases.count)
        #expect(Set(listed) == Set(Action.allCases))
    }

    @Test func everyActionHasAKeyThatNoOtherOfItsModeHas() {
        for mode in InputMode.allCases {
            let keys = Action.allCases.filter { $0.mode == mode }.flatMap(KeyTable.keys)
            #expect(Set(keys).count == keys.count)
        }
        for action in Action.allCases {
            #expect(!KeyTable.keys(of: action).isEmpty, "\(action)")
            #expect(Set(KeyMap.standard.keys(for: action)) == Set(KeyTable.keys(of: action)), "\(action)")
        }
    }

    @Test func namesOfActionsAreWordsInLowerCase() {
        for action in Action.allCases {
            #expect(action.rawValue.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" }, "\(action)")
        }
    }

    // MARK: Documents

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private func check(_ name: String, from begin: String, to end: String, holds made: String) throws {
        let file = Self.root.appending(path: name)
        let text = try String(contentsOf: file, encoding: .utf8)
        let parts = text.split(separator: begin, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "\(name) lacks the line \(begin)")
        let rest = parts[1].split(separator: end, omittingEmptySubsequences: false)
        try #require(rest.count == 2, "\(name) lacks the line \(end)")
        if ProcessInfo.processInfo.environment["FLICK_REGENERATE"] == "1" {
            let new = parts[0] + begin + "\n" + made + end + rest[1]
            try String(new).write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(
                String(rest[0].dropFirst()) == made,
                "\(name) is not what the table of keys says: FLICK_REGENERATE=1 swift test --filter UITests")
        }
    }

    private static let begin = "<!-- keys: made by FLICK_REGENERATE=1 swift test --filter UITests -->"
    private static let end = "<!-- end of keys -->"

    @Test func guideHasTheShortTable() throws {
        let rows = KeyTable.sections.flatMap(\.rows).filter(\.isShort)
        #expect((6...14).contains(rows.count))
        let lines = rows.map { "| \(KeyMap.standard.label(of: $0, isASCII: false)) | \($0.words) |\n" }
        try check(
            "docs/user/guide.md", from: Self.begin, to: Self.end,
            holds: "| key | does |\n| --- | --- |\n" + lines.joined())
    }

    @Test func keysPageHasTheWholeTable() throws {
        let sections = KeyTable.sections.map { section in
            "\n## \(section.title)\n\n| key | does | name in `[keys]` |\n| --- | --- | --- |\n"
                + section.rows.map { row in
                    let names = row.actions.map { "`\($0.rawValue)`" }.joined(separator: " ")
                    return "| \(KeyMap.standard.label(of: row, isASCII: false)) | \(row.words) | \(names) |\n"
                }.joined()
        }
        try check("docs/user/keys.md", from: Self.begin, to: Self.end, holds: sections.joined() + "\n")
    }

    @Test func manPageHasTheWholeTable() throws {
        // Blocks of text, which are filled; none is a request for beginning with a dot.
        func cell(_ text: String) -> String {
            "T{\n\\&" + text.replacing("\\", with: "\\e").replacing("-", with: "\\-") + "\nT}"
        }
        let sections = KeyTable.sections.map { section in
            // 80 columns, without the margins.
            ".SS \(section.title)\n.TS\nlw(26n) lw(42n).\n"
                + section.rows.map { row in
                    let label = KeyMap.standard.label(of: row, isASCII: true)
                    return "\(cell(label))\t\(cell(row.words(isASCII: true)))\n"
                }.joined() + ".TE\n"
        }
        let names = KeyTable.sections.filter { !$0.rows.flatMap(\.actions).isEmpty }.map { section in
            ".TP\n\(section.title)\n"
                + section.rows.flatMap(\.actions).map(\.rawValue).joined(separator: ", ") + "\n"
        }
        let actions =
            ".SS Names of the actions\nThe section\n.B keys\nof the configuration binds them to other keys.\n"
        try check(
            "docs/flick.1", from: #".\" keys: made by FLICK_REGENERATE=1 swift test --filter UITests"#,
            to: #".\" end of keys"#, holds: sections.joined() + actions + names.joined())
    }
}
