import Model
import TerminalInput

extension State {
    /// The keys as they are bound now, from the table that the documentation is made from; then what the mouse does.
    var keyEntries: [SheetEntry] {
        let wanted = typing?.keyWords ?? []
        func section(_ title: String, _ pairs: [(keys: String, words: String)]) -> [SheetEntry] {
            let found = pairs.filter { Self.has(wanted, "\($0.keys) \($0.words)") }
            return found.isEmpty ? [] : [.heading(title)] + found.map { .pair($0.keys, $0.words) }
        }
        let keys = KeyTable.sections.flatMap { keys in
            section(
                keys.title,
                keys.rows.filter { !$0.actions.isEmpty || !$0.fixed.isEmpty }.map { row in
                    let keys = options.keys.keysLabel(of: row, isASCII: options.isASCII)
                    return (keys.isEmpty ? "no key" : keys, row.words(isASCII: options.isASCII))
                })
        }
        // Nothing is in view there that could be pointed at.
        if options.isPlain { return keys }
        let gestures = KeyTable.sections.flatMap(\.rows).filter { !$0.gestures.isEmpty }
        let entries = keys + section("Mouse", gestures.map { ($0.gestures, $0.mouseWords(isASCII: options.isASCII)) })
        return entries.isEmpty ? [.text("No matches.")] : entries
    }

    private static func has(_ words: [[UInt8]], _ text: String) -> Bool {
        guard !words.isEmpty else { return true }
        var folded: [UInt8] = []
        LetterFold.append(text, limit: 200, to: &folded)
        return words.allSatisfy { Filter.find($0, in: folded) }
    }

    /// Opens the field that filters the keys, below their sheet.
    mutating func openKeyFilter() -> [Effect] {
        view.go(to: 0)
        typing = Typing(.keys)
        return []
    }
}
