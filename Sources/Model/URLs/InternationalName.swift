/// Host names in other alphabets, as name servers know them: `bücher.example`
/// is `xn--bcher-kva.example` (RFC 5890 and 3492). Pure.
enum InternationalName {
    /// nil unless the labels consist of letters, marks, digits and hyphens, and fit into a name.
    ///
    /// Capital letters become small ones. Other forms of a letter stay as they
    /// are, so a name in decomposed letters is another name.
    static func ascii(_ bytes: [UInt8]) -> [UInt8]? {
        guard let text = String(validating: bytes, as: UTF8.self), text.unicodeScalars.count <= 253 else { return nil }
        // These are dots as well (RFC 3490, 3.1).
        let labels = text.lowercased().unicodeScalars.split(omittingEmptySubsequences: false) {
            [0x2E, 0x3002, 0xFF0E, 0xFF61].contains($0.value)
        }
        var name: [UInt8] = []
        for (index, label) in labels.enumerated() {
            guard let encoded = encoded(Array(label)), encoded.count <= 63 else { return nil }
            if index > 0 { name.append(UInt8(ascii: ".")) }
            name += encoded
        }
        return name
    }

    /// With the percent-encoded bytes beyond ASCII, as references have them once they are resolved (RFC 3986, 3.2.2).
    static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var (decoded, rest) = ([UInt8](), bytes[...])
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = FileURL.digit(rest[rest.startIndex]), high >= 8,
                let low = FileURL.digit(rest[rest.startIndex + 1])
            {
                decoded.append(high << 4 | low)
                rest.removeFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    private static func encoded(_ label: [Unicode.Scalar]) -> [UInt8]? {
        guard !label.allSatisfy(\.isASCII) else { return label.map { UInt8($0.value) } }
        guard label.allSatisfy(isOfName) else { return nil }
        return Array("xn--".utf8) + punycode(label.map { Int($0.value) })
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == "-" { return true }
        // Wide, script and other forms stand for other letters (Unicode TR46); these two are letters of their own.
        if scalar.properties.changesWhenNFKCCaseFolded, scalar != "ß", scalar != "ς" { return false }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: return true
        default: return false
        }
    }

    /// RFC 3492, 6.3, with the parameters of section 5.
    private static func punycode(_ label: [Int]) -> [UInt8] {
        var output = label.filter { $0 < 0x80 }.map { UInt8($0) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (code, delta, bias, handled) = (0x80, 0, 72, basic)
        while handled < label.count {
            let next = label.filter { $0 >= code }.min() ?? code
            delta += (next - code) * (handled + 1)
            code = next
            for scalar in label {
                if scalar < code { delta += 1 }
                guard scalar == code else { continue }
                output += digits(of: delta, bias: bias)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic)
                (delta, handled) = (0, handled + 1)
            }
            (delta, code) = (delta + 1, code + 1)
        }
        return output
    }

    /// A number of variable length (section 3.3).
    private static func digits(of delta: Int, bias: Int) -> [UInt8] {
        var (digits, rest, step) = ([UInt8](), delta, 36)
        while true {
            let threshold = min(max(step - bias, 1), 26)
            guard rest >= threshold else { return digits + [digit(rest)] }
            digits.append(digit(threshold + (rest - threshold) % (36 - threshold)))
            rest = (rest - threshold) / (36 - threshold)
            step += 36
        }
    }

    private static func digit(_ value: Int) -> UInt8 { UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26) }

    /// Section 6.1.
    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > 35 * 26 / 2 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
