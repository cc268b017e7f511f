import Bytes
import Model
import TestSupport
import Testing
import Threads
import Wire

@testable import Player

/// What a clip's decoder may open, by the clip's own bytes.
struct ReadPermissionsTests {
    private static let clip = "file:///clips/a"
    private static let other = "file:///etc/hostname"

    private func reach(_ pieces: [[UInt8]]) -> ReadPermissions {
        var reach = ReadPermissions(url: Self.clip)
        var offset: Int64 = 0
        for piece in pieces {
            reach.note(piece, at: offset)
            offset += Int64(piece.count)
        }
        return reach
    }

    @Test(arguments: [
        "#EXTM3U\n", "\u{FEFF}#EXTM3U\n", "<?xml version='1.0'?><MPD/>", "\u{FEFF} \r\n\t<MPD>", "<!-- x -->",
    ])
    func playlistLeadsElsewhere(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(reach([bytes]).kind == .playlist)
        // However the bytes come.
        #expect(reach(bytes.map { [$0] }).kind == .playlist)
        #expect(reach([bytes]).allows(Self.other) && reach([bytes]).allows(Self.clip))
    }

    @Test(
        arguments: [
            Array("\0\0\0\u{18}ftypmp42".utf8), [0x1A, 0x45, 0xDF, 0xA3], Array("#EXTM3".utf8) + [0],
            Array("# EXTM3U".utf8),
            Array("x<MPD>".utf8), Array(" #EXTM3U".utf8), [0, 0x3C], [0xEF, 0xBB, 0x00],
            Array(repeating: 0x20, count: 5_000),
        ] as [[UInt8]])
    func mediaLeadsNowhere(_ bytes: [UInt8]) {
        #expect(reach([bytes]).kind == .media)
        #expect(reach(bytes.map { [$0] }).kind == .media)
        #expect(!reach([bytes]).allows(Self.other) && reach([bytes]).allows(Self.clip))
    }

    @Test func onlyTheClipMayBeOpenedBeforeItsTypeIsKnown() {
        for reach in [reach([]), reach([[]]), reach([Array("#EXT".utf8)])] {
            #expect(reach.kind == .unknown && !reach.allows(Self.other) && reach.allows(Self.clip))
        }
    }

    @Test func bytesFromElsewhereInTheClipMeanNothing() {
        var reach = ReadPermissions(url: Self.clip)
        reach.note(Array("#EXTM3U".utf8), at: 100)
        #expect(reach.kind == .unknown)
        reach.note([0, 0, 0, 0x18], at: 0)
        reach.note(Array("#EXTM3U".utf8), at: 0)
        #expect(reach.kind == .media)
    }

    // MARK: At the door

    /// A decoder that asks for whatever it likes.
    private final class Door: Sendable {
        let server: ReadServer
        private let answers = Monitor([ToDecoder]())

        init(_ url: String) {
            let answers = answers
            server = ReadServer(provider: FileProvider(), prefetch: nil) { answer in
                answers.change { $0.append(answer) }
            }
            server.begin(Asset(url: url))
        }

        deinit { server.end() }

        /// The error of opening `url`; empty if it is open.
        func open(_ id: UInt32, _ url: String) throws -> String {
            let before = answers.withLock(\.count)
            try server.handle(.openURL(id: id, want: ByteWant(url: url, role: .segment)))
            guard case .source(id, _, _, _, let error)? = next(after: before) else { return "no answer" }
            return error
        }

        func read(_ id: UInt32) throws -> [UInt8] {
            let before = answers.withLock(\.count)
            try server.handle(.read(id: id, offset: 0, count: 100))
            guard case .data(_, _, let bytes, _)? = next(after: before) else { return [] }
            return bytes
        }

        private func next(after count: Int) -> ToDecoder? {
            answers.wait(upTo: .seconds(10)) { $0.count > count ? $0[count] : nil }
        }
    }

    private func url(_ path: String) -> String { "file://\(path)" }

    @Test func decoderOfALocalMediaFileGetsNoOtherFileAndNoHost() throws {
        let folder = TemporaryFolder()
        let clip = url(try folder.write("a.mp4", [0, 0, 0, 0x18] + Array("ftypmp42".utf8)))
        let secret = url(try folder.write("secret", Array("secret".utf8)))
        let door = Door(clip)
        #expect(try door.open(1, secret).contains("cannot open"))
        #expect(try door.open(2, clip) == "")
        #expect(try door.read(2).count == 12)
        #expect(try door.open(3, secret).contains("cannot open"))
        #expect(try door.open(4, "http://127.0.0.1:9/").contains("cannot open"))
        #expect(try door.open(5, clip) == "")
        // Nor is anything fetched ahead for it: a decoder that expects it is no honest one.
        #expect(throws: WireError.invalid("expectation")) {
            try door.server.handle(.expect(ByteWant(url: "http://127.0.0.1:9/", role: .segment)))
        }
    }

    /// One decoder makes stills of many clips.
    @Test func bytesOfTheClipBeforeSayNothingOfTheNext() throws {
        let folder = TemporaryFolder()
        let before = url(try folder.write("a.m3u8", Array("#EXTM3U\nsegment\n".utf8)))
        let clip = url(try folder.write("b.mp4", [0, 0, 0, 0x18] + Array("ftypmp42".utf8)))
        let secret = url(try folder.write("secret", Array("secret".utf8)))
        let door = Door(before)
        #expect(try door.open(1, before) == "")
        door.server.begin(Asset(url: clip))
        #expect(try door.read(1).count == 16)
        #expect(try door.open(2, secret).contains("cannot open"))
    }

    @Test func decoderOfAPlaylistGetsWhatItNamesOnceItHasReadIt() throws {
        let folder = TemporaryFolder()
        let clip = url(try folder.write("a.m3u8", Array("#EXTM3U\nsegment\n".utf8)))
        let segment = url(try folder.write("segment", Array("bytes".utf8)))
        let door = Door(clip)
        #expect(try door.open(1, segment).contains("cannot open"))
        #expect(try door.open(2, clip) == "")
        #expect(try door.read(2).count == 16)
        #expect(try door.open(3, segment) == "")
        #expect(try door.read(3) == Array("bytes".utf8))
    }
}
