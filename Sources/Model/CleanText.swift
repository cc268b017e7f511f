/// Makes text from feeds and files safe to show: it cannot command a terminal or break the layout of columns. Pure.
///
/// Control characters and escape sequences become U+FFFD; format characters (bidi controls, joiners, tags) are removed;
/// every kind of space becomes a space. The length is limited first.
public enum CleanText {
    /// The most scalars of a text.
    public static let limit = 4_096

    /// `raw` as one line: line breaks and runs of spaces become one space.
    public static func line(_ raw: String, limit: Int = limit) -> String {
        clean(raw, limit: limit, keepingLines: false)
    }

    /// `raw` with its line breaks as "\n"; at most one empty line in a row.
    public static func block(_ raw: String, limit: Int = limit) -> String {
        clean(raw, limit: limit, keepingLines: true)
    }

    /// `raw` as it may stand in a text that is being typed: every space and every line break stays, one by one.
    /// Joiners, variation selectors and tones of skin stay too, because others can show what they make of emoji.
    ///
    /// - Parameter keepingLines: whether line breaks are "\n"; else they become spaces.
    public static func typed(_ raw: String, keepingLines: Bool) -> String {
        var scalars = Array(raw.unicodeScalars)[...]
        var result = String.UnicodeScalarView()
        while let scalar = scalars.popFirst() {
            if scalar == "\r", scalars.first == "\n" { continue }
            if isLineBreak(scalar) {
                result.append(keepingLines ? "\n" : " ")
            } else if isSpace(scalar) {
                result.append(" ")
            } else if joins(scalar) {
                result.append(scalar)
            } else if let shown = shown(scalar, before: &scalars) {
                result.append(shown)
            }
        }
        return String(result)
    }

    /// Programs whose names are written in lower case.
    private static let programs = ["flick", "yt-dlp"]

    /// `text`, a message that stands alone, with a capital letter at its beginning: unless it begins with a path, an
    /// address, a key of the configuration or the name of a program.
    public static func sentence(_ text: String) -> String {
        let word = text.prefix { $0 != " " }
        let isName = word.dropLast().contains(":") || word.contains { "./_".contains($0) }
        // "yt-dlp:", "flick's", "flick-decoder".
        let isProgram = programs.contains { name in
            word.hasPrefix(name) && word.dropFirst(name.count).first.map { !$0.isLetter } ?? true
        }
        return isName || isProgram ? text : text.prefix(1).uppercased() + text.dropFirst()
    }

    /// What the parser of the command line prints, "Error: Unknown option '--x'. Did you mean '--y'?" and below it the
    /// usage, in the form of flick's errors: "flick: unknown option '--x'; did you mean '--y'?". Other texts stay.
    public static func usageError(_ text: String) -> String {
        let mark = "Error: "
        guard text.hasPrefix(mark) else { return text }
        let message = text.dropFirst(mark.count)
        var line = String(message.prefix { $0 != "\n" })
        let usage = message.dropFirst(line.count)
        for (sentence, part) in [(". Did you mean", "; did you mean"), (". Please provide", "; expected")] {
            line = line.replacing(sentence, with: part)
        }
        if line.hasSuffix(".") { line.removeLast() }
        // Not the name of an option, or an abbreviation.
        if line.dropFirst().first?.isLowercase == true { line = line.prefix(1).lowercased() + line.dropFirst() }
        return "flick: \(line)\(usage)"
    }

    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200D, 0xFE0E, 0xFE0F, 0x1F3FB...0x1F3FF: true
        default: false
        }
    }

    private static func clean(_ raw: String, limit: Int, keepingLines: Bool) -> String {
        var scalars = Array(raw.unicodeScalars.prefix(limit))[...]
        var result = String.UnicodeScalarView()
        var breaks = 0
        var spaceIsDue = false
        while let scalar = scalars.popFirst() {
            if scalar == "\r", scalars.first == "\n" { continue }
            if isLineBreak(scalar) {
                breaks += 1
                spaceIsDue = true
            } else if isSpace(scalar) {
                spaceIsDue = true
            } else if let shown = shown(scalar, before: &scalars) {
                if spaceIsDue, !result.isEmpty {
                    if keepingLines, breaks > 0 {
                        result.append(contentsOf: repeatElement("\n", count: min(breaks, 2)))
                    } else {
                        result.append(" ")
                    }
                }
                spaceIsDue = false
                breaks = 0
                result.append(shown)
            }
        }
        if raw.unicodeScalars.count > limit { result.append("…") }
        return String(result)
    }

    private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x20, 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F: true
        default: false
        }
    }

    /// The replacement for `scalar`; nil to drop it. Removes a whole escape sequence from `rest`.
    private static func shown(_ scalar: Unicode.Scalar, before rest: inout ArraySlice<Unicode.Scalar>) -> Unicode
        .Scalar?
    {
        switch scalar.value {
        case 0x1B:
            skipSequence(in: &rest)
            return "\u{FFFD}"
        case 0x9B:
            skipControlSequence(in: &rest)
            return "\u{FFFD}"
        case 0..<0x20, 0x7F..<0xA0, 0xFDD0...0xFDEF: return "\u{FFFD}"
        case let code where code & 0xFFFE == 0xFFFE: return "\u{FFFD}"
        default: return DisplayWidth.kind(of: scalar) == .ignored ? nil : scalar
        }
    }

    /// ECMA-48: ESC [ … final byte is a control sequence; ESC ] … BEL or ESC \ an operating system command. Removes a
    /// command only if it is complete: an incomplete one would hide the rest of the text.
    private static func skipSequence(in rest: inout ArraySlice<Unicode.Scalar>) {
        guard let kind = rest.first else { return }
        if kind == "[" {
            rest.removeFirst()
            skipControlSequence(in: &rest)
        } else if kind == "]" || kind == "P" || kind == "_" {
            guard let end = rest.firstIndex(where: { $0.value == 0x07 || $0.value == 0x1B || $0.value == 0x9C }) else {
                return
            }
            let isLong = rest[end].value == 0x1B && rest.index(after: end) < rest.endIndex && rest[end + 1] == "\\"
            rest = rest[(end + (isLong ? 2 : 1))...]
        }
    }

    private static func skipControlSequence(in rest: inout ArraySlice<Unicode.Scalar>) {
        while let next = rest.first, (0x20...0x3F).contains(next.value) { rest.removeFirst() }
        if let final = rest.first, (0x40...0x7E).contains(final.value) { rest.removeFirst() }
    }
}
