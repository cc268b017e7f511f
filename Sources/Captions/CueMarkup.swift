import Model

/// The text of cues without tags and entities (WebVTT 1, 4.2.2; SubRip has some
/// of HTML's tags, and overrides of SSA in braces). Pure.
struct CueMarkup {
    private let isWebVTT: Bool
    /// Who spoke last: a name is shown where another begins to speak.
    private var voice: [UInt8] = []

    init(isWebVTT: Bool) { self.isWebVTT = isWebVTT }

    /// The text of a cue, cleaned; empty if nothing is left. Limits
    /// the length of a tag, so its time is in proportion to `raw`.
    mutating func text(of raw: [UInt8]) -> String {
        var text = CueLines()
        // A bracket without its end is text. Where the last end is, is known, so that nothing is searched twice.
        let lastTag = raw.lastIndex(of: UInt8(ascii: ">")) ?? -1
        let lastBrace = raw.lastIndex(of: UInt8(ascii: "}")) ?? -1
        var index = 0
        while index < raw.count, !text.isFull {
            let next = index + 1 < raw.count ? raw[index + 1] : 0
            switch raw[index] {
            case UInt8(ascii: "<") where index < lastTag && beginsTag(next):
                let end = raw[index...].firstIndex(of: UInt8(ascii: ">")) ?? lastTag
                addVoice(of: raw[(index + 1)..<end], to: &text)
                index = end + 1
            case UInt8(ascii: "<") where (0x30...0x39).contains(next):
                // A timestamp within a cue; "<3" is not one.
                let end = raw[(index + 1)...].firstIndex { !(0x30...0x3A).contains($0) && $0 != UInt8(ascii: ".") }
                if let end, raw[end] == UInt8(ascii: ">") {
                    index = end + 1
                } else {
                    text.add(raw[index])
                    index += 1
                }
            case UInt8(ascii: "{") where index < lastBrace && next == UInt8(ascii: "\\"):
                index = (raw[index...].firstIndex(of: UInt8(ascii: "}")) ?? lastBrace) + 1
            case UInt8(ascii: "\\") where !isWebVTT && (next == UInt8(ascii: "N") || next == UInt8(ascii: "n")):
                text.add(0x0A)
                index += 2
            case UInt8(ascii: "&"): index = addReference(raw, index, to: &text)
            case let byte:
                text.add(byte)
                index += 1
            }
        }
        return text.cleaned
    }

    private func beginsTag(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "/"), UInt8(ascii: "!"): true
        default: false
        }
    }

    /// `<v.loud Mira>`: the name of who speaks, if that is another than before.
    private mutating func addVoice(of tag: ArraySlice<UInt8>, to text: inout CueLines) {
        let name = tag.drop { $0 != 0x20 && $0 != 0x09 }
        let kind = tag[..<name.startIndex].prefix { $0 != UInt8(ascii: ".") }
        guard isWebVTT, kind.elementsEqual("v".utf8), name.count > 1, name.count <= CueLines.nameLimit else { return }
        let speaker = Array(name.dropFirst())
        guard speaker != voice else { return }
        voice = speaker
        for byte in speaker { text.add(byte) }
        text.add(UInt8(ascii: ":"))
        text.add(0x20)
    }

    /// Adds the character of the reference at `index`; an ampersand
    /// without a valid reference is text. Returns where it ends.
    private func addReference(_ raw: [UInt8], _ index: Int, to text: inout CueLines) -> Int {
        let body = raw[(index + 1)...].prefix(HTMLEntity.nameLimit + 1)
        guard let end = body.firstIndex(of: UInt8(ascii: ";")),
            let meaning = meaning(of: String(decoding: body[..<end], as: UTF8.self))
        else {
            text.add(raw[index])
            return index + 1
        }
        for byte in meaning.utf8 { text.add(byte) }
        return end + 1
    }

    private func meaning(of name: String) -> String? {
        guard name.first == "#" else { return HTMLEntity.text(name) }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        return UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
            .flatMap(HTMLEntity.text(number:))
    }
}
