import Foundation
import Testing

@testable import Charset

@Suite struct TextEncodingTests {
    private static func subtitles(_ lines: String...) -> String {
        lines.enumerated().map { "\($0 + 1)\r\n00:00:0\($0),000 --> 00:00:0\($0 + 1),000\r\n\($1)\r\n\r\n" }.joined()
    }

    /// In that encoding, by iconv.
    private func bytes(_ text: String, _ charset: String) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["iconv", "-f", "UTF-8", "-t", charset]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        // Less than a pipe holds.
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return bytes
    }

    @Test(arguments: [
        (
            "CP1250",
            subtitles("Czy wiesz, która jest godzina?", "Nie, ale już późno. Chodźmy stąd, zanim ktoś nas zobaczy.")
        ),
        ("CP1250", subtitles("Příliš žluťoučký kůň úpěl ďábelské ódy.", "Kdy už konečně přijdeš domů?")),
        ("CP1251", subtitles("Привет, как дела?", "Я не знаю, что тебе сказать.")),
        ("CP1251", subtitles("Привіт, як справи? Ти вже їв?", "Я не знаю, що тобі сказати.")),
        ("KOI8-R", subtitles("Привет, как дела?", "Я не знаю, что тебе сказать.")),
        ("CP1253", subtitles("Γεια σου, τι κάνεις;", "Δεν ξέρω τι να σου πω. Άσε με ήσυχο.")),
        ("CP1254", subtitles("Nasılsın? Şimdi ne yapıyorsun?", "Güneş doğdu, çok ağır.")),
        ("GBK", subtitles("你好,你在做什么?", "我不知道该说什么。")), ("BIG5", subtitles("你好,你在做什麼?", "我不知道該說什麼。")),
        ("SHIFT_JIS", subtitles("こんにちは、何をしていますか?", "何と言えばいいのか分からない。")),
        ("CP949", subtitles("안녕하세요, 뭐 하고 있어요?")), ("UTF-8", subtitles("Привет, как дела?")),
    ])
    func detectsNationalEncodings(charset: String, text: String) throws {
        let bytes = try bytes(text, charset)
        #expect(String(decoding: TextEncoding.utf8(bytes), as: UTF8.self) == text)
    }

    @Test(arguments: ["Café", "naïve", "Müller & Söhne", "Grüß Gott, schöne Straße. Über uns: Äpfel, Öl, Übermut."])
    func unknownEncodingIsWindows1252(text: String) throws {
        #expect(TextEncoding.detect(try bytes(text, "CP1252")) == nil)
    }

    @Test func namedEncodingAppliesOnlyToNonUnicodeText() throws {
        #expect(TextEncoding.utf8(try bytes("Žluť", "CP1250"), charset: "cp1250") == Array("Žluť".utf8))
        for text in [Array("Žluť".utf8), [0xFF, 0xFE, 0x41, 0x00], [0xFE, 0xFF, 0x00, 0x41], Array("abc".utf8), []] {
            #expect(TextEncoding.utf8(text, charset: "cp1250") == text)
        }
    }

    /// The end of the sample may split a character.
    @Test func longTextIsDetectedByItsBeginning() {
        for shift in 0..<3 {
            let text = Array(
                (String(repeating: "a", count: shift) + String(repeating: "д€", count: TextEncoding.sampleSize)).utf8)
            #expect(TextEncoding.detect(text) == nil && TextEncoding.utf8(text) == text)
        }
    }
}
