import Foundation
import Model
import Testing

@testable import Feeds

@Suite struct MarkupTextTests {
    /// All of a document's text, as it arrives in pieces.
    private func text(_ bytes: [UInt8], type: String? = nil, isHTML: Bool = false, piece: Int = 1 << 16) -> String {
        var text = MarkupText(
            stream(bytes, piece: piece), charset: type.flatMap { MediaType($0)?.charset }, isHTML: isHTML)
        var all: [UInt8] = []
        while let piece = text.next() {
            #expect(String(validating: piece, as: UTF8.self) != nil)
            all += piece
        }
        return String(decoding: all, as: UTF8.self)
    }

    private static let sample = "<?xml version=\"1.0\"?><a>é€\u{1F305}ж</a>"

    private static func wide(_ text: String, _ encoding: String.Encoding, mark: [UInt8] = []) -> [UInt8] {
        mark + [UInt8](text.data(using: encoding) ?? Data())
    }

    @Test(arguments: [
        Array(sample.utf8), [0xEF, 0xBB, 0xBF] + Array(sample.utf8), wide(sample, .utf16BigEndian),
        wide(sample, .utf16LittleEndian), wide(sample, .utf16BigEndian, mark: [0xFE, 0xFF]),
        wide(sample, .utf16LittleEndian, mark: [0xFF, 0xFE]), wide(sample, .utf32BigEndian),
        wide(sample, .utf32LittleEndian),
        wide(sample, .utf32BigEndian, mark: [0, 0, 0xFE, 0xFF]),
        wide(sample, .utf32LittleEndian, mark: [0xFF, 0xFE, 0, 0]),
    ])
    func unicodeIsRecognizedByItsBytes(bytes: [UInt8]) {
        for piece in [1, 2, 3, 7, 1 << 16] { #expect(text(bytes, piece: piece) == Self.sample) }
        // Whatever is said of them.
        #expect(text(bytes, type: "text/xml; charset=iso-8859-1") == Self.sample)
        #expect(text(bytes, type: "text/xml; charset=utf-16") == Self.sample)
    }

    @Test(
        arguments: [
            // Invalid UTF-8 is windows-1252, byte by byte.
            ([0x61, 0xE9, 0x80, 0xC3, 0xA9, 0x92], nil, "aé€é’"), ([0xE2, 0x82], nil, "â‚"),
            ([0xF0, 0x9F, 0x8C], nil, "ðŸŒ"),
            ([0xC0, 0xAF, 0xED, 0xA0, 0x80], nil, "À¯í\u{A0}€"), ([0xE9], "text/xml; charset=ISO-8859-1", "é"),
            ([0xC3, 0xA9], "text/xml; charset=ISO-8859-1", "é"), ([0xE9], "text/xml; charset=\"us-ascii\"", "é"),
            // Others
            ([0xC6], "text/xml;charset=KOI8-R", "ф"), ([0xF4], "text/xml; charset='windows-1251'; x=y", "ф"),
            ([0xF4], "text/xml; x=y; CHARSET = windows_1251", "ф"), ([0x82, 0xA0], "text/xml; charset=shift_jis", "あ"),
            ([0xE0, 0xE1], "text/xml; charset=ISO-8859-8-I", "אב"),
            ([0xB0, 0xA1], "text/xml; charset=euc-kr", "가"), ([0xC4, 0xE3], "text/xml; charset=gb2312", "你"),
            ([0x81], "text/xml; charset=mac", "Å"), ([0x82, 0x20], "text/xml; charset=shift_jis", "\u{FFFD} "),
            ([0x61, 0x82], "text/xml; charset=shift_jis", "a\u{FFFD}"),
            ([0x9D], "text/xml; charset=cp-is", "Ø"), ([0x9D], "text/xml; charset=DOS-861", "Ø"),
            ([0xC7], "text/xml; charset=x-mac-greek", "«"), ([0xE1], "text/xml; charset=mac_greek", "α"),
            ([0xDC], "text/xml; charset=macturkish", "İ"), ([0xDC], "text/xml; charset=x-mac-icelandic", "Ð"),
            ([0xE8], "text/xml; charset=x-mac-croatian", "č"), ([0xBF], "text/xml; charset=mac-romanian", "ș"),
            ([0xAB], "text/xml; charset=x-mac-latin2", "ę"), ([0x80], "text/xml; charset=x-mac-cyrillic", "А"),
            ([0x81], "text/xml; charset=x-mac-roman", "Å"), ([0x61, 0xA7], "text/xml; charset=maccentraleurope", "aß"),
            // Invalid names
            ([0xE9], "text/xml; charset=bogus", "é"), ([0xE9], "text/xml; charset=../../x//TRANSLIT", "é"),
            ([0xE9], "text/xml; charset=", "é"), ([0x61], "text/xml; charset=utf-16", "a"),
            ([0xE9], ";;;=;charset", "é"),
            ([], nil, ""),
        ] as [([UInt8], String?, String)])
    func bytesAreTextAsTheServerSays(bytes: [UInt8], type: String?, expected: String) {
        for piece in [1, 2, 1 << 16] { #expect(text(bytes, type: type, piece: piece) == expected) }
    }

    @Test(arguments: [
        ("<?xml version='1.0' encoding='koi8-r'?><a>", nil, "ф"),
        ("\n junk <?XML encoding = \"KOI8-R\" ?><a>", nil, "ф"),
        ("<?xml version='1.0' encoding='koi8-r'?><a>", "text/xml; charset=windows-1251", "Ж"),
        ("<?xml version='1.0' encoding='koi8-r'?><a>", "text/xml; charset=bogus", "ф"),
        ("<?xml version='1.0' encoding='bogus'?><a>", nil, "Æ"),
        ("<?xml version='1.0' encoding='utf-16'?><a>", nil, "Æ"),
        ("<?xml version='1.0'?><a encoding='koi8-r'>", nil, "Æ"), ("<?xml version='1.0' encoding=koi8-r><a>", nil, "ф"),
    ])
    func declaredEncodingAppliesWithoutACharsetHeader(head: String, type: String?, expected: String) {
        #expect(text(Array(head.utf8) + [0xC6], type: type) == head + expected)
    }

    @Test func htmlDeclaresItInItself() {
        for head in ["<html><meta charset=koi8-r>", "<meta http-equiv=x content=\"text/html; CHARSET=koi8-r\">"] {
            #expect(text(Array(head.utf8) + [0xC6], isHTML: true) == head + "ф")
        }
    }

    @Test func ebcdicIsRead() {
        // "<?xml encoding='cp037'?><a>é" in it.
        let bytes: [UInt8] = [
            0x4C, 0x6F, 0xA7, 0x94, 0x93, 0x40, 0x85, 0x95, 0x83, 0x96, 0x84, 0x89, 0x95, 0x87, 0x7E, 0x7D, 0x83, 0x97,
            0xF0,
            0xF3, 0xF7, 0x7D, 0x6F, 0x6E, 0x4C, 0x81, 0x6E, 0x51,
        ]
        #expect(text(bytes) == "<?xml encoding='cp037'?><a>é")
    }
}
