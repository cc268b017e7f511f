extension State {
    /// The keys as they are bound now, from the table that the documentation is made from; then what the mouse does.
    var keyEntries: [SheetEntry] {
        let keys = KeyTable.sections.flatMap { section -> [SheetEntry] in
            let rows = section.rows.filter { !$0.actions.isEmpty || !$0.fixed.isEmpty }
            return [.heading(section.title)]
                + rows.map { row in
                    let keys = options.keys.keysLabel(of: row, isASCII: options.isASCII)
                    return .pair(keys.isEmpty ? "no key" : keys, row.words(isASCII: options.isASCII))
                }
        }
        // Nothing is in view there that could be pointed at.
        if options.isPlain { return keys }
        let gestures = KeyTable.sections.flatMap(\.rows).filter { !$0.gestures.isEmpty }
        return keys + [.heading("Mouse")] + gestures.map { .pair($0.gestures, $0.words(isASCII: options.isASCII)) }
    }
}
