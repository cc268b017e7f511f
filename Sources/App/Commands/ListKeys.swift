import Model
import Screen
import UI

/// `flick help keys`: the keys as the configuration binds them, on standard output. Throws `AppError`.
public func listKeys(setup: Setup) throws {
    setup.printWarnings()
    var output = StandardOutput()
    let keys = KeyMap(changing: setup.configuration.keys)
    output.write(KeyList.text(keys, isASCII: !TerminalEnvironment.current.hasUnicode))
    try output.finish()
}

/// The table of keys as lines of text. Pure.
enum KeyList {
    /// - Parameter isASCII: names arrows instead of drawing them.
    static func text(_ keys: KeyMap, isASCII: Bool) -> String {
        let sections = KeyTable.sections.map { section in
            (
                title: section.title,
                rows: section.rows.map {
                    (label: keys.label(of: $0, isASCII: isASCII), words: $0.words(isASCII: isASCII))
                }.filter { !$0.label.isEmpty }
            )
        }
        let width = sections.flatMap(\.rows).map { GlyphLine($0.label).columns }.max() ?? 0
        let texts = sections.filter { !$0.rows.isEmpty }.map { section in
            section.title + "\n"
                + section.rows.map { row in
                    let space = String(repeating: " ", count: width - GlyphLine(row.label).columns + 2)
                    return "  \(row.label)\(space)\(row.words)\n"
                }.joined()
        }
        return texts.joined(separator: "\n")
            + "\nTo change keys, edit [keys] in config.toml; `man flick` lists action names under KEYS.\n"
    }
}
