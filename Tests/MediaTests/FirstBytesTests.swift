import Foundation
import Testing

@testable import Media

/// What the error page says of files that are no clips.
@Suite struct FirstBytesTests {
    nonisolated static let faults: [(bytes: [UInt8], fault: String)] = [
        ([], "this file is empty"),
        (Array(repeating: 0, count: 99), "it contains only zeros; it may still be downloading"),
        (
            Array("\u{FEFF}\n <!DOCTYPE HTML><title>Sign in</title>".utf8),
            "not a media file: it looks like HTML, a web page"
        ),
        (Array("<html lang=en>".utf8), "not a media file: it looks like HTML, a web page"),
        (Array("<?xml version='1.0'?><rss/>".utf8), "not a media file: it looks like XML"),
        (Array("{\"error\": 404}".utf8), "not a media file: it looks like JSON"),
        (Array("[1]".utf8), "not a media file: it looks like JSON"),
        (Array("#!/bin/sh\nexit".utf8), "not a media file: it looks like a script"),
        (Array("This is no film.\n".utf8), "not a media file: it looks like text"),
        (Array("Das ist kein Film – schön".utf8), "not a media file: it looks like text"),
        // Cut within a character.
        (Array("schö".utf8).dropLast(), "not a media file: it looks like text"),
        (Array("%PDF-1.7\n%\u{1}".utf8), "not a media file: it looks like PDF"),
        ([0x50, 0x4B, 3, 4, 20, 0], "not a media file: it looks like a ZIP archive"),
        ([0x1F, 0x8B, 8, 0], "not a media file: it looks like a gzip archive"),
        ([0x7F, 0x45, 0x4C, 0x46, 2], "not a media file: it looks like a program"),
        ([0xFF, 0xD8, 0xFF, 0xE0, 0], "damaged: it looks like a JPEG but cannot be read"),
        ([0x1A, 0x45, 0xDF, 0xA3, 1], "damaged: it looks like WebM or Matroska but cannot be read"),
        ([0, 0, 0, 24] + Array("ftypmp42".utf8), "cut off: its index is missing"),
        ([0, 0, 0, 24] + Array("ftypmp42\u{0}\u{0}\u{0}\u{9}moov".utf8), "damaged: its index cannot be read"),
        ([0x13, 0x37, 0xFE, 0], "not a media file, or an unsupported format"),
    ]

    @Test(arguments: faults) func fileSaysWhatItIs(_ bytes: [UInt8], _ fault: String) {
        #expect(FirstBytes(bytes).error().why == fault)
    }

    @Test(arguments: [
        ("html", "<!doctype html><p>No.", "not a media file: it looks like HTML, a web page"),
        ("none", "", "this file is empty"),
    ])
    func decoderSaysIt(name: String, text: String, fault: String) throws {
        let harness = try DecoderHarness.open(Clips.write("fault-\(name).txt", Array(text.utf8)))
        try harness.run { _ in false }
        #expect(harness.failure?.code == .notMedia)
        #expect(harness.failure?.why == fault)
    }

    @Test func clipWithoutItsIndexIsReported() throws {
        let whole = try Array(Data(contentsOf: URL(fileURLWithPath: Clips.counted())))
        let harness = try DecoderHarness.open(Clips.write("fault-cut.mp4", Array(whole.prefix(whole.count / 2))))
        try harness.run { _ in false }
        #expect(harness.failure?.why == "cut off: its index is missing")
        #expect(harness.advice == "fetch or record it again")
        #expect(!harness.failureDetail.isEmpty)
    }
}
