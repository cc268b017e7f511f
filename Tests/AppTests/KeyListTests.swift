import Model
import Testing
import UI

@testable import App

/// `flick help keys`.
@Suite struct KeyListTests {
    @Test func everyKeyIsBesideWhatItDoes() {
        let lines = KeyList.text(.standard, isASCII: false).split(separator: "\n")
        for row in KeyTable.sections.flatMap(\.rows) {
            let label = KeyMap.standard.label(of: row, isASCII: false)
            #expect(lines.contains { $0.hasPrefix("  \(label) ") && $0.hasSuffix("  \(row.words)") }, "\(row.words)")
        }
        // One column.
        let rows = lines.filter { $0.hasPrefix("  ") }
        let words = KeyTable.sections.flatMap(\.rows).map(\.words)
        let columns = zip(rows, words).map { GlyphLine(String($0)).columns - GlyphLine($1).columns }
        #expect(rows.count == words.count && Set(columns).count == 1)
    }

    @Test func listsKeysFromTheConfiguration() {
        let text = KeyList.text(KeyMap(changing: [.like: [.function(5)], .open: []]), isASCII: true)
        #expect(text.contains("  F5, double click ") && !text.contains("open in another program"))
        #expect(text.utf8.allSatisfy { $0 < 0x80 }, "\(text)")
    }
}
