import UI

/// How keys are spelled by terminals at large (xterm, "PC-Style Function Keys"; kitty, "Comprehensive keyboard handling").
enum KeyGrammar {
    /// The key of one whole sequence, `ESC [ … final` or `ESC O … final`; nil if it is none, or none that flick knows.
    static func key(sequence: [UInt8]) -> Key? {
        guard sequence.count >= 3, let final = sequence.last else { return nil }
        let body = sequence[2..<(sequence.count - 1)]
        guard let fields = fields(of: body) else { return nil }
        let modifiers = Modifiers(field: fields.count > 1 ? fields[1] : [])
        // kitty's event type 3: the key came up again.
        if fields.count > 1, fields[1].count > 1, fields[1][1] == 3 { return nil }
        let number = fields.first?.first ?? 0
        switch final {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return modifiers.right
        case UInt8(ascii: "D"): return modifiers.left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "M") where sequence[1] == UInt8(ascii: "O"): return .enter  // the keypad's
        case UInt8(ascii: "~"): return tilde(number, fields: fields)
        case UInt8(ascii: "u") where !fields.isEmpty: return unicode(number, modifiers: modifiers)
        default: return nil
        }
    }

    /// The same key with Alt held, as far as flick tells them apart.
    static func withAlt(_ key: Key) -> Key {
        switch key {
        case .left: .altLeft
        case .right: .altRight
        default: key
        }
    }

    private struct Modifiers {
        var shift = false
        var alt = false
        var control = false

        /// 1 plus a bit for each: shift 1, alt 2, control 4 (locks, above, mean nothing here).
        init(field: [Int]) {
            let bits = max(field.first ?? 1, 1) - 1
            shift = bits & 1 != 0
            alt = bits & 2 != 0
            control = bits & 4 != 0
        }

        var left: Key { alt ? .altLeft : shift ? .shiftLeft : .left }
        var right: Key { alt ? .altRight : shift ? .shiftRight : .right }
    }

    private static func tilde(_ number: Int, fields: [[Int]]) -> Key? {
        switch number {
        case 1, 7: .home
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        // xterm's modifyOtherKeys: 27 ; modifiers ; code ~
        case 27 where fields.count == 3: unicode(fields[2].first ?? 0, modifiers: Modifiers(field: fields[1]))
        default: nil
        }
    }

    private static func unicode(_ code: Int, modifiers: Modifiers) -> Key? {
        switch code {
        case 8, 127: return .backspace
        case 9: return .tab
        case 13, 57414: return .enter
        case 27: return .escape
        // kitty's keypad: left, right, up, down, page up, page down, home, end, insert, delete.
        case 57417: return modifiers.left
        case 57418: return modifiers.right
        case 57419: return .up
        case 57420: return .down
        case 57421: return .pageUp
        case 57422: return .pageDown
        case 57423: return .home
        case 57424: return .end
        case 57426: return .delete
        default: break
        }
        // Below are controls, above are kitty's private codes for keys that type nothing.
        guard code >= 0x20, !(0x7F..<0xA0).contains(code), !(57344...63743).contains(code),
            let value = UInt32(exactly: code), let scalar = Unicode.Scalar(value)
        else { return nil }
        let character = Character(scalar)
        guard modifiers.control else {
            return .character(
                modifiers.shift
                    ? Character(String(character).uppercased().first.map(String.init) ?? "\(character)") : character)
        }
        return .control(character)
    }

    /// Parameters `1;2:3` as [[1], [2, 3]]; nil if there is anything but numbers (`<`, `?` and `>` mark what is no key).
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
