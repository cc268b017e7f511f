import Foundation
import Testing
import Wire

@testable import Media

/// Encrypted files are reported as such.
@Suite struct EncryptionTests {
    private static let words = Encryption.error().why

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// Opens as the page and as `probe` do.
    private func failures(of path: String) throws -> [String?] {
        let shown = try DecoderHarness.open(path)
        try shown.run { !$0.ended.isEmpty }
        let probed = try DecoderHarness()
        try probed.channel.send(.open(url: "file://\(path)", start: 0, loop: false, sound: false))
        try probed.run { $0.info != nil }
        return [shown.failure?.why, probed.failure?.why]
    }

    @Test(arguments: [
        ("cenc.mp4", "+faststart"), ("cenc-last.mp4", "0"), ("cenc-fragments.mp4", "frag_keyframe+empty_moov"),
    ])
    func commonEncryptionIsNamed(name: String, flags: String) throws {
        let path = try Clips.make(
            name, "-i", try Clips.counted(), "-c", "copy", "-encryption_scheme", "cenc-aes-ctr", "-encryption_key",
            "76a6c65c5ea762046bd749a2e632ccbb", "-encryption_kid", "a7e61c373e219033c21091fa607bf3b8", "-movflags",
            flags)
        #expect(try failures(of: path) == [Self.words, Self.words])
        // What PIFF adds to the sample entry is in boxes that libav does not read.
        var piff = try bytes(path)
        for name in ["senc", "saiz", "saio", "schm", "tenc"] {
            for place in piff.indices.dropLast(4) where piff[place...].starts(with: name.utf8) {
                piff.replaceSubrange(place..<place + 4, with: "free".utf8)
            }
        }
        #expect(try failures(of: try Clips.write("piff-" + name, piff)) == [Self.words, Self.words])
    }

    @Test func scrambledTransportStreamIsReported() throws {
        let path = try Clips.make("clear.ts", "-i", try Clips.counted(), "-c", "copy")
        var stream = try bytes(path)
        for packet in stride(from: 0, to: stream.count, by: 188) where stream[packet + 1] & 0x1F == 1 {
            stream[packet + 3] |= 0x80
        }
        #expect(try failures(of: try Clips.write("scrambled.ts", stream)) == [Self.words, Self.words])
        #expect(try failures(of: path) == [nil, nil])
    }

    @Test func sampleEntryIsFoundAcrossTwoReads() {
        let header = Array("....encv".utf8) + [0, 0, 0, 0, 0, 0, 0, 1] + Array(repeating: 7, count: 40)
        for cut in 0...header.count {
            var encryption = Encryption()
            for part in [header[..<cut], header[cut...]] {
                Array(part).withUnsafeBufferPointer { encryption.look(through: $0) }
            }
            #expect(encryption.isFound, "cut at \(cut)")
        }
        var single = Encryption()
        for byte in header { [byte].withUnsafeBufferPointer { single.look(through: $0) } }
        #expect(single.isFound)
        var clear = Encryption()
        (Array("encv".utf8) + [0, 0, 0, 0, 0, 1] + Array("avc1".utf8) + [0, 0, 0, 0, 0, 0, 0]).withUnsafeBufferPointer {
            clear.look(through: $0)
        }
        #expect(!clear.isFound)
    }

    @Test func headerWithoutPacketsIsReported() throws {
        let path = try Clips.make(
            "for-header.mp4", "-i", try Clips.counted(), "-c", "copy", "-movflags", "frag_keyframe+empty_moov")
        let whole = try bytes(path)
        let moof = try #require(whole.indices.dropLast(4).first { whole[$0...].starts(with: "moof".utf8) })
        let words = MediaError.nothingInIt.why
        #expect(try failures(of: try Clips.write("only-header.mp4", Array(whole[..<(moof - 4)]))) == [words, words])
    }

    /// A page and `probe` say the same of a file that was cut off behind its index.
    @Test func fileCutBehindItsIndexIsReported() throws {
        let path = try Clips.make(
            "index-first.mp4", "-i", try Clips.counted(), "-c", "copy", "-movflags", "+faststart")
        let whole = try bytes(path)
        let mdat = try #require(whole.indices.dropLast(4).first { whole[$0...].starts(with: "mdat".utf8) })
        let (empty, damaged) = (MediaError.nothingInIt.why, MediaError.nothingWhole.why)
        // Its first picture is larger than 600 bytes, and comes before all sound.
        let cuts: [(Int, String?)] = [
            (mdat - 4, empty), (mdat + 4, empty), (mdat + 104, damaged), (mdat + 604, damaged), (mdat + 6_000, nil),
        ]
        for (end, words) in cuts {
            let cut = try Clips.write("index-first-\(end - mdat).mp4", Array(whole[..<end]))
            #expect(try failures(of: cut) == [words, words], "cut at \(end - mdat)")
        }
    }
}
