/// The bytes that a terminal sends, taken apart.
///
/// ncurses' own reader is not used: it knows keys of a fixed spelling only (`define_key`), so the replies to a probe,
/// whose lengths vary, would come through it as Escape and typed letters; and it would time the escape key by itself,
/// inside a call that waits. ncurses still says how this terminal spells its keys (terminfo); the grammar is that of
/// ECMA-48 §5.4, of xterm's "Control Sequences", and of kitty's keyboard protocol.
///
/// A value without a clock: `now` is the time since the process began. Nothing that is sent can make it crash or grow:
/// sequences are cut at `longestSequence`, a paste at `longestPaste`, and what is not understood is dropped whole.
public struct InputParser: Sendable {
    /// An ESC that nothing follows for this long was the Escape key.
    static let escapeTimeout: Duration = .milliseconds(25)
    /// A started sequence is abandoned after this long without a byte: a slow line may cut a reply anywhere, and its
    /// rest must not become keys.
    static let sequenceTimeout: Duration = .seconds(1)
    /// Bytes of a sequence, or of a string, that are kept.
    static let longestSequence = 1024
    /// Bytes of a paste that are kept: the first ones.
    static let longestPaste = 1 << 16

    enum State: Equatable {
        case ground
        /// UTF-8: the bytes still to come.
        case scalar(missing: Int)
        case escape
        case singleShift
        case controlSequence
        /// The Linux console's function keys, `ESC [ [ A`.
        case consoleKey
        /// X10 mouse reports: three bytes that may be anything.
        case oldMouse(missing: Int)
        /// OSC, DCS, APC, PM or SOS, by the byte after ESC.
        case string(UInt8, sawEscape: Bool)
        /// Between the brackets of a paste; `matched` bytes of the closing one have been seen.
        case paste(matched: Int)
    }

    private let keys: [[UInt8]: Key]
    private var state = State.ground
    /// The bytes of the sequence so far, ESC included.
    private var bytes: [UInt8] = []
    /// What has come of a paste.
    private var pasted: [UInt8] = []
    /// An ESC came just before this sequence: Alt, on terminals that spell it so.
    private var isAlt = false
    private var lastByte: Duration = .zero

    /// - Parameter keys: how this terminal spells its keys, from terminfo; these win over the general grammar.
    public init(keys: [[UInt8]: Key] = [:]) {
        self.keys = keys.filter { $0.key.count > 1 && $0.key[0] == 0x1B }
    }

    /// When `expire` wants to be called; nil while nothing is pending.
    public var nextWake: Duration? {
        switch state {
        case .ground: nil
        case .escape: lastByte + Self.escapeTimeout
        case .string(Self.alikeAltUnderscore, _) where bytes.count <= 2:
            lastByte + (awaitsGraphicsReply ? Self.sequenceTimeout : Self.escapeTimeout)
        case .singleShift, .controlSequence: lastByte + (bytes.count <= 2 ? Self.escapeTimeout : Self.sequenceTimeout)
        default: lastByte + Self.sequenceTimeout
        }
    }

    /// Whether something is being pasted.
    package var isPasting: Bool { if case .paste = state { true } else { false } }
    /// How many pastes have begun.
    package private(set) var pasteCount = 0

    /// Bytes of an unfinished sequence, and of an unfinished paste.
    var pendingByteCount: Int { bytes.count + pasted.count }

    /// Parses what was read at `now`.
    public mutating func feed(_ input: some Sequence<UInt8>, now: Duration) -> [Input] {
        var found = expire(now: now)
        for byte in input {
            lastByte = now
            parse(byte, into: &found)
        }
        return found
    }

    /// Ends what has been unfinished for too long at `now`: a lone ESC becomes the Escape key, and a paste without its
    /// end counts as received so far.
    public mutating func expire(now: Duration) -> [Input] {
        guard let wake = nextWake, now >= wake else { return [] }
        defer { reset() }
        if isPasting { return endPaste().map { [$0] } ?? [] }
        switch state {
        case .escape: return [.key(.escape)]
        case .string(Self.alikeAltUnderscore, _) where bytes.count <= 2 && !awaitsGraphicsReply:
            return [.key(Key(.character("_"), .alt))]
        default: return []
        }
    }

    /// APC's opening, which Alt and an underscore send too.
    private static let alikeAltUnderscore = UInt8(ascii: "_")
    /// Whether a reply may begin so: then it is waited for as for any other, and Alt and an underscore are not known.
    package var awaitsGraphicsReply = false

    private mutating func reset() {
        state = .ground
        bytes.removeAll(keepingCapacity: true)
        isAlt = false
    }

    private mutating func begin(_ state: State, with byte: UInt8) {
        self.state = state
        bytes.append(byte)
    }

    private mutating func parse(_ byte: UInt8, into found: inout [Input]) {
        switch state {
        case .ground: parseGround(byte, into: &found)
        case .scalar(let missing): parseUTF8(byte, missing: missing, into: &found)
        case .escape: parseEscape(byte, into: &found)
        case .singleShift: parseSingleShift(byte, into: &found)
        case .controlSequence: parseControlSequence(byte, into: &found)
        case .consoleKey:
            bytes.append(byte)
            finish(keys[bytes].map { .key($0) }, into: &found)
        case .oldMouse(let missing):
            if missing == 1 { reset() } else { state = .oldMouse(missing: missing - 1) }
        case .string(let kind, let sawEscape): parseString(byte, kind: kind, sawEscape: sawEscape, into: &found)
        case .paste(let matched): parsePaste(byte, matched: matched, into: &found)
        }
    }

    private mutating func finish(_ input: Input?, into found: inout [Input]) {
        if let input {
            if case .key = input {} else { flushEscape(into: &found) }
            found.append(input)
        }
        reset()
    }

    /// The ESC before a sequence that is no key was the Escape key: Alt is held with keys only. Answers come at any
    /// time, so also right behind that key.
    private mutating func flushEscape(into found: inout [Input]) {
        if isAlt { found.append(.key(.escape)) }
        isAlt = false
    }

    // MARK: typed characters

    private mutating func parseGround(_ byte: UInt8, into found: inout [Input]) {
        switch byte {
        case 0x1B: begin(.escape, with: byte)
        case 0x00..<0x20, 0x7F: found.append(.key(Self.controlKey(byte)))
        case 0x20..<0x7F: found.append(.key(.character(Character(Unicode.Scalar(byte)))))
        case 0xC2...0xDF: begin(.scalar(missing: 1), with: byte)
        case 0xE0...0xEF: begin(.scalar(missing: 2), with: byte)
        case 0xF0...0xF4: begin(.scalar(missing: 3), with: byte)
        default: break  // not UTF-8
        }
    }

    private mutating func parseUTF8(_ byte: UInt8, missing: Int, into found: inout [Input]) {
        guard byte & 0xC0 == 0x80 else {
            reset()
            return parseGround(byte, into: &found)
        }
        bytes.append(byte)
        if missing > 1 {
            state = .scalar(missing: missing - 1)
            return
        }
        // Validating: overlong forms and surrogates are refused, and C1 controls are not keys.
        let text = String(validating: bytes, as: UTF8.self)
        let scalar = text?.unicodeScalars.first
        let isPrintable = scalar.map { $0.value >= 0xA0 } ?? false
        finish(isPrintable ? scalar.map { .key(.character(Character($0))) } : nil, into: &found)
    }

    package static func controlKey(_ byte: UInt8) -> Key {
        switch byte {
        case 0x08, 0x7F: .backspace
        case 0x09: .tab
        // The line's ICRNL is off, so Enter sends CR; LF is Ctrl-J, or Ctrl and Enter.
        case 0x0A: Key(.enter, .control)
        case 0x0D: .enter
        case 0x1B: .escape
        case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
        default: .control(Character(Unicode.Scalar(byte + 0x40)))
        }
    }

    // MARK: sequences

    private mutating func parseEscape(_ byte: UInt8, into found: inout [Input]) {
        switch byte {
        case 0x1B:
            // The first was Alt (rxvt: ESC ESC [ D) or the Escape key; what follows decides.
            if isAlt { found.append(.key(.escape)) }
            isAlt = true
        case UInt8(ascii: "["): begin(.controlSequence, with: byte)
        case UInt8(ascii: "O"): begin(.singleShift, with: byte)
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            begin(.string(byte, sawEscape: false), with: byte)
        default:
            if let key = keys[[0x1B, byte]] { return finish(.key(key), into: &found) }
            if isAlt { found.append(.key(.escape)) }
            // Either Alt and a key, or Escape and a key at once, on a slow line: the page decides.
            if byte >= 0x20, byte < 0x7F {
                return finish(.key(Key(.character(Character(Unicode.Scalar(byte))), .alt)), into: &found)
            }
            if byte == 0x0D || byte == 0x7F { return finish(.key(Key(Self.controlKey(byte).base, .alt)), into: &found) }
            found.append(.key(.escape))
            reset()
            parseGround(byte, into: &found)
        }
    }

    private mutating func parseSingleShift(_ byte: UInt8, into found: inout [Input]) {
        guard byte >= 0x20, byte < 0x7F else { return cancelSequence(at: byte, into: &found) }
        bytes.append(byte)
        // Modifiers may stand in between (ESC O 5 A, from old KDE and HP terminals).
        if (0x30...0x3F).contains(byte), bytes.count < 8 { return }
        finish(key(), into: &found)
    }

    private mutating func parseControlSequence(_ byte: UInt8, into found: inout [Input]) {
        switch byte {
        case UInt8(ascii: "[") where bytes.count == 2:
            begin(.consoleKey, with: byte)
        case UInt8(ascii: "M") where bytes.count == 2:
            begin(.oldMouse(missing: 3), with: byte)
        case 0x40...0x7E:
            bytes.append(byte)
            guard bytes.count <= Self.longestSequence else { return reset() }
            if bytes == Self.pasteBegin {
                flushEscape(into: &found)
                reset()
                state = .paste(matched: 0)
                pasteCount += 1
            } else {
                finish(key() ?? control(final: byte), into: &found)
            }
        case 0x24 where bytes.count > 2 && keys[bytes + [byte]] != nil:
            // rxvt spells Shift as a final `$`, which ECMA-48 calls an intermediate.
            bytes.append(byte)
            finish(keys[bytes].map { .key($0) }, into: &found)
        case 0x20..<0x40:
            if bytes.count <= Self.longestSequence { bytes.append(byte) }
        default: cancelSequence(at: byte, into: &found)
        }
    }

    /// A control character in the middle of a sequence ends it; the character itself still counts (CAN and SUB, whose
    /// meaning this is, do not).
    private mutating func cancelSequence(at byte: UInt8, into found: inout [Input]) {
        reset()
        if byte != 0x18, byte != 0x1A { parseGround(byte, into: &found) }
    }

    /// The input for the key sequence in `bytes`; nil if it encodes no known key.
    private func key() -> Input? {
        guard let spelled = keys[bytes] ?? KeyGrammar.key(sequence: bytes) else { return nil }
        return .key(isAlt ? KeyGrammar.withAlt(spelled) : spelled)
    }

    private func control(final: UInt8) -> Input? {
        let body = bytes[2..<(bytes.count - 1)]
        if body.isEmpty, final == UInt8(ascii: "I") || final == UInt8(ascii: "O") {
            return .focus(final == UInt8(ascii: "I"))
        }
        if let mouse = MouseGrammar.mouse(body: body, final: final) { return .mouse(mouse) }
        return ReplyParser.control(body: body, final: final).map { .reply($0) }
    }

    // MARK: strings

    private mutating func parseString(_ byte: UInt8, kind: UInt8, sawEscape: Bool, into found: inout [Input]) {
        let isOSC = kind == UInt8(ascii: "]")
        switch byte {
        case UInt8(ascii: "\\") where sawEscape, 0x07 where isOSC:
            let body = bytes.dropFirst(2)
            let isWhole = bytes.count <= Self.longestSequence
            finish(isWhole ? ReplyParser.string(kind: kind, body: body).map { .reply($0) } : nil, into: &found)
        case _ where sawEscape:
            // Not ST, so the string was cut short and this begins something new.
            reset()
            parseGround(0x1B, into: &found)
            parse(byte, into: &found)
        case 0x1B: state = .string(kind, sawEscape: true)
        case 0x18, 0x1A: reset()
        default: if bytes.count <= Self.longestSequence { bytes.append(byte) }
        }
    }

    // MARK: paste

    private static let pasteBegin = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private mutating func parsePaste(_ byte: UInt8, matched: Int, into found: inout [Input]) {
        if byte == Self.pasteEnd[matched] {
            guard matched + 1 == Self.pasteEnd.count else { return state = .paste(matched: matched + 1) }
            if let paste = endPaste() { found.append(paste) }
            reset()
            return
        }
        // What looked like the end was text.
        for place in 0..<matched { keep(Self.pasteEnd[place]) }
        let isEscape = byte == Self.pasteEnd[0]
        if !isEscape { keep(byte) }
        state = .paste(matched: isEscape ? 1 : 0)
    }

    private mutating func keep(_ byte: UInt8) {
        if pasted.count < Self.longestPaste { pasted.append(byte) }
    }

    /// The paste so far; nil if it is empty. A character that was cut at the end is left out.
    private mutating func endPaste() -> Input? {
        defer { pasted = [] }
        if pasted.count == Self.longestPaste {
            let tail = pasted.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count
            let lead = pasted.dropLast(tail).last ?? 0
            let wanted = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0
            if tail < wanted { pasted.removeLast(tail + 1) }
        }
        return pasted.isEmpty ? nil : .paste(String(decoding: pasted, as: UTF8.self))
    }
}
