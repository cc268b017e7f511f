/// How keys are spelled by terminals at large (xterm, "PC-Style Function Keys";
/// kitty, "Comprehensive keyboard handling").
enum KeyGrammar {
    /// The key of one whole sequence, `ESC [ … final` or `ESC O … final`; nil if it is malformed or unknown.
    static func key(sequence: [UInt8]) -> Key? {
        guard sequence.count >= 3, let final = sequence.last else { return nil }
        let body = sequence[2..<(sequence.count - 1)]
        guard let fields = fields(of: body) else { return nil }
        let modifiers = Key.Modifiers(field: fields.count > 1 ? fields[1] : [])
        // kitty's event type 3: the key came up again.
        if fields.count > 1, fields[1].count > 1, fields[1][1] == 3 { return nil }
        let number = fields.first?.first ?? 0
        let isSingleShift = sequence[1] == UInt8(ascii: "O")
        switch final {
        case UInt8(ascii: "A"): return Key(.up, modifiers)
        case UInt8(ascii: "B"): return Key(.down, modifiers)
        case UInt8(ascii: "C"): return Key(.right, modifiers)
        case UInt8(ascii: "D"): return Key(.left, modifiers)
        case UInt8(ascii: "H"): return Key(.home, modifiers)
        case UInt8(ascii: "F"): return Key(.end, modifiers)
        case UInt8(ascii: "M") where isSingleShift: return .enter  // the keypad's
        case UInt8(ascii: "Z"): return Key(.tab, .shift)
        // `CSI R` is the answer to a question of where the cursor is.
        case UInt8(ascii: "P")...UInt8(ascii: "S") where isSingleShift || (number <= 1 && final != UInt8(ascii: "R")):
            return Key(.function(Int(final - UInt8(ascii: "P")) + 1), modifiers)
        case UInt8(ascii: "~"): return tilde(number, fields: fields, modifiers: modifiers)
        case UInt8(ascii: "u") where !fields.isEmpty: return unicode(number, modifiers: modifiers)
        default: return nil
        }
    }

    /// The same key with Alt down, if it types nothing.
    static func withAlt(_ key: Key) -> Key {
        if case .character = key.base { return key }
        return Key(key.base, key.modifiers.union(.alt))
    }

    private static func tilde(_ number: Int, fields: [[Int]], modifiers: Key.Modifiers) -> Key? {
        let base: Key.Base
        switch number {
        case 1, 7: base = .home
        case 2: base = .insert
        case 3: base = .delete
        case 4, 8: base = .end
        case 5: base = .pageUp
        case 6: base = .pageDown
        case 11...15: base = .function(number - 10)
        case 17...21: base = .function(number - 11)
        case 23, 24: base = .function(number - 12)
        // xterm's modifyOtherKeys: 27 ; modifiers ; code ~
        case 27 where fields.count == 3: return unicode(fields[2].first ?? 0, modifiers: modifiers)
        default: return nil
        }
        return Key(base, modifiers)
    }

    private static func unicode(_ code: Int, modifiers: Key.Modifiers) -> Key? {
        switch code {
        case 8, 127: return Key(.backspace, modifiers)
        case 9: return Key(.tab, modifiers)
        case 13, 57414: return Key(.enter, modifiers)
        case 27: return .escape
        // kitty's keypad.
        case 57417: return Key(.left, modifiers)
        case 57418: return Key(.right, modifiers)
        case 57419: return Key(.up, modifiers)
        case 57420: return Key(.down, modifiers)
        case 57421: return Key(.pageUp, modifiers)
        case 57422: return Key(.pageDown, modifiers)
        case 57423: return Key(.home, modifiers)
        case 57424: return Key(.end, modifiers)
        case 57425: return Key(.insert, modifiers)
        case 57426: return Key(.delete, modifiers)
        default: break
        }
        // Below are controls, above are kitty's private codes for keys that type nothing.
        guard code >= 0x20, !(0x7F..<0xA0).contains(code), !(57344...63743).contains(code),
            let value = UInt32(exactly: code), let scalar = Unicode.Scalar(value)
        else { return nil }
        let character = Character(scalar)
        guard modifiers.contains(.control) else {
            let typed =
                modifiers.contains(.shift)
                ? Character(String(character).uppercased().first.map(String.init) ?? "\(character)") : character
            return Key(.character(typed), modifiers.intersection(.alt))
        }
        return .control(character)
    }

    /// Parameters `1;2:3` as [[1], [2, 3]]; nil if there is anything but
    /// numbers (`<`, `?` and `>` mark what is no key).
    static func fields(of body: ArraySlice<UInt8>) -> [[Int]]? {
        guard !body.isEmpty else { return [] }
        var fields: [[Int]] = [[0]]
        for byte in body {
            let field = fields.count - 1
            let part = fields[field].count - 1
            switch byte {
            case 0x30...0x39:
                // Far above anything that is sent, and far from an overflow.
                fields[field][part] = min(fields[field][part] * 10 + Int(byte - 0x30), 10_000_000)
            case UInt8(ascii: ";"): fields.append([0])
            case UInt8(ascii: ":"): fields[field].append(0)
            default: return nil
            }
        }
        return fields
    }
}

extension Key.Modifiers {
    /// 1 plus a bit for each: shift 1, alt 2, control 4 (locks and others, above, mean nothing here).
    fileprivate init(field: [Int]) { self.init(rawValue: UInt8((max(field.first ?? 1, 1) - 1) & 7)) }
}
