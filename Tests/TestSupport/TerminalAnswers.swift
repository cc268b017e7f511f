/// Answers a program's queries as a plain terminal does, so that the program need not wait for its timeouts.
///
/// Queries and answers are xterm's (ctlseqs); mode 2026 is reported as known. Cells are 8×16 pixels.
public struct TerminalAnswers {
    private let answers: [(question: [UInt8], answer: String)]
    /// The end of the previous output, because a query can be split into two pieces.
    private var tail: [UInt8] = []

    public init(columns: Int, rows: Int) {
        let escape = "\u{1B}"
        answers = [
            ("\(escape)[c", "\(escape)[?62;22c"), ("\(escape)[0c", "\(escape)[?62;22c"),
            ("\(escape)[>c", "\(escape)[>41;370;0c"), ("\(escape)[5n", "\(escape)[0n"),
            ("\(escape)[>q", "\(escape)P>|xterm(370)\(escape)\\"),
            ("\(escape)[>0q", "\(escape)P>|xterm(370)\(escape)\\"),
            ("\(escape)[14t", "\(escape)[4;\(rows * 16);\(columns * 8)t"), ("\(escape)[16t", "\(escape)[6;16;8t"),
            ("\(escape)[18t", "\(escape)[8;\(rows);\(columns)t"), ("\(escape)[?2026$p", "\(escape)[?2026;2$y"),
            ("\(escape)]11;?", "\(escape)]11;rgb:0000/0000/0000\(escape)\\"),
        ].map { (Array($0.0.utf8), $0.1) }
    }

    /// The answers to the queries in the next piece of output, in order.
    public mutating func answer(_ bytes: UnsafeRawBufferPointer) -> String {
        // Pictures are long and contain no queries. Sequences with `ESC [` are rare enough to check each one.
        let seen = tail + bytes
        var text = ""
        var index = 0
        while let start = seen[index...].firstIndex(of: 0x1B) {
            if let hit = answers.first(where: { seen[start...].starts(with: $0.question) }) {
                text += hit.answer
                index = start + hit.question.count
            } else {
                index = start + 1
            }
        }
        // Long enough for the beginning of the longest query, without queries that were answered.
        tail = Array(seen[max(index, seen.count - 8)...])
        return text
    }
}
