import Foundation
import Testing
import Wire

@testable import Media

/// Photographs that say in their files how they come to stand upright.
@Suite struct PhotoOrientationTests {
    private static let red: UInt32 = 0xFF0000
    private static let lime: UInt32 = 0x00FF00
    private static let blue: UInt32 = 0x0000FF
    private static let white: UInt32 = 0xFFFFFF

    /// The corners of a picture of red, lime, blue and white (left to right, top to bottom) for each of EXIF's numbers.
    private static let corners: [Int: [UInt32]] = [
        1: [red, lime, blue, white], 2: [lime, red, white, blue], 3: [white, blue, lime, red],
        4: [blue, white, red, lime], 5: [red, blue, lime, white], 6: [blue, red, white, lime],
        7: [white, lime, blue, red], 8: [lime, white, red, blue],
    ]

    /// How far each of EXIF's numbers turns a picture clockwise, after it has mirrored it or not.
    private static let degrees: [Int: UInt32] = [1: 0, 2: 0, 3: 180, 4: 180, 5: 270, 6: 90, 7: 90, 8: 270]

    /// A TIFF directory with nothing but the orientation.
    private func exif(_ number: Int) -> [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(number), 0, 0, 0, 0, 0, 0]
    }

    private func big(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    }
    private func little(_ number: Int) -> [UInt8] { big(number).reversed() }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    private func picture(_ ending: String) throws -> [UInt8] {
        try bytes(
            Clips.quadrants("upright-1.\(ending)", ["-frames:v", "1", "-update", "1", "-pix_fmt", pixels(ending)]))
    }

    private func pixels(_ ending: String) -> String { ["jpg": "yuvj444p", "webp": "yuv420p"][ending] ?? "rgb24" }

    private func crc(_ bytes: [UInt8]) -> Int {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return Int(~sum)
    }

    private func jpeg(_ number: Int) throws -> [UInt8] {
        let segment: [UInt8] = Array("Exif\0\0".utf8) + exif(number)
        var file = try picture("jpg")
        let head: [UInt8] = [0xFF, 0xE1, 0, UInt8(segment.count + 2)]
        file.insert(contentsOf: segment, at: 2)
        file.insert(contentsOf: head, at: 2)
        return file
    }

    private func png(_ number: Int, isAtEnd: Bool) throws -> [UInt8] {
        let named: [UInt8] = Array("eXIf".utf8) + exif(number)
        var chunk = big(named.count - 4)
        chunk += named
        chunk += big(crc(named))
        var file = try picture("png")
        // After IHDR, or before IEND.
        file.insert(contentsOf: chunk, at: isAtEnd ? file.count - 12 : 33)
        return file
    }

    private func webp(_ number: Int) throws -> [UInt8] {
        var chunks: [UInt8] = Array("WEBPVP8X".utf8)
        chunks += little(10)
        chunks += [0x08, 0, 0, 0, 159, 0, 0, 119, 0, 0] as [UInt8]
        chunks += try picture("webp").dropFirst(12)
        chunks += Array("EXIF".utf8)
        chunks += little(26)
        chunks += exif(number)
        return Array("RIFF".utf8) + little(chunks.count) + chunks
    }

    /// 160 × 120, not compressed.
    private func tiff(_ number: Int) -> [UInt8] {
        let tags: [(Int, Int, Int)] = [
            (256, 3, 160), (257, 3, 120), (258, 3, 8), (259, 3, 1), (262, 3, 2), (273, 4, 1_000), (274, 3, number),
            (277, 3, 3), (278, 3, 120), (279, 4, 160 * 120 * 3),
        ]
        let short = { (value: Int) -> [UInt8] in [UInt8(value & 0xFF), UInt8(value >> 8)] }
        var file: [UInt8] = [0x49, 0x49, 42, 0] + little(8) + short(tags.count)
        for (tag, kind, value) in tags { file += short(tag) + short(kind) + little(1) + little(value) }
        file += Array(repeating: 0, count: 1_000 - file.count)
        for row in 0..<120 {
            for column in 0..<160 {
                let color = [[Self.red, Self.lime], [Self.blue, Self.white]][row / 60][column / 80]
                file += [UInt8(color >> 16 & 0xFF), UInt8(color >> 8 & 0xFF), UInt8(color & 0xFF)]
            }
        }
        return file
    }

    /// An AVIF whose picture has these properties besides those that ffmpeg writes.
    private func avif(turn: UInt8?, mirror: UInt8?) throws -> [UInt8] {
        var file = try picture("avif")
        var boxes: [UInt8] = []
        for (name, value) in [("irot", turn), ("imir", mirror)] {
            guard let value else { continue }
            boxes += [0, 0, 0, 9]
            boxes += Array(name.utf8)
            boxes.append(value)
        }
        func place(_ name: String) throws -> Int { try #require(file.firstRange(of: Array(name.utf8))).lowerBound - 4 }
        func grow(_ name: String, by count: Int) throws {
            let at = try place(name)
            file.replaceSubrange(at..<at + 4, with: big(length(file, at) + count))
        }
        let (container, association) = (try place("ipco"), try place("ipma"))
        let properties = try counted(file, from: container + 8, to: association)
        let count = (turn == nil ? 0 : 1) + (mirror == nil ? 0 : 1)
        // The only item's list of properties ends the box of associations.
        let end = association + length(file, association)
        file.insert(contentsOf: (0..<count).map { UInt8(0x80 | (properties + 1 + $0)) }, at: end)
        file[association + 18] += UInt8(count)
        file.insert(contentsOf: boxes, at: association)
        for name in ["ipco"] { try grow(name, by: boxes.count) }
        try grow("ipma", by: count)
        for name in ["iprp", "meta"] { try grow(name, by: boxes.count + count) }
        // Where the picture's bytes are.
        let location = try place("iloc")
        let offset = location + 22
        let moved: Int = length(file, offset) + boxes.count + count
        file.replaceSubrange(offset..<offset + 4, with: big(moved))
        return file
    }

    private func length(_ file: [UInt8], _ place: Int) -> Int {
        file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private func counted(_ file: [UInt8], from start: Int, to end: Int) throws -> Int {
        var (at, count) = (start, 0)
        while at < end {
            at += max(8, length(file, at))
            count += 1
        }
        return count
    }

    private func expect(_ file: [UInt8], _ name: String, _ number: Int) throws {
        let path = try Clips.write(name, file)
        let isTurned = number > 4
        let harness = try DecoderHarness.open(path, width: 160, height: 160)
        try harness.run { !$0.pictures.isEmpty }
        let (header, pixels) = try harness.picture(0)
        #expect((header.width < header.height) == isTurned, "\(name)")
        let (width, height) = (Int(header.width), Int(header.height))
        let seen = [(1, 1), (3, 1), (1, 3), (3, 3)].map { pixels[$1 * height / 4 * width + $0 * width / 4] }
        let wanted = Self.corners[number] ?? []
        func isLike(_ one: UInt32, _ other: UInt32) -> Bool {
            [0, 8, 16].allSatisfy { abs(Int(one >> $0 & 0xFF) - Int(other >> $0 & 0xFF)) < 60 }
        }
        #expect(zip(seen, wanted).allSatisfy(isLike), "\(name): \(seen.map { String($0, radix: 16) })")
        // What `probe` prints.
        let info = try #require(harness.info)
        #expect(info.displayWidth == (isTurned ? 120 : 160) && info.displayHeight == (isTurned ? 160 : 120), "\(name)")
        #expect(info.rotation == Self.degrees[number], "\(name)")
    }

    @Test(arguments: 1...8) func exifIsHonored(number: Int) throws {
        try expect(jpeg(number), "exif-\(number).jpg", number)
        try expect(png(number, isAtEnd: false), "exif-\(number).png", number)
        try expect(png(number, isAtEnd: true), "exif-end-\(number).png", number)
        try expect(webp(number), "exif-\(number).webp", number)
        try expect(tiff(number), "exif-\(number).tiff", number)
    }

    /// Turns count counterclockwise; 0 exchanges top and bottom, 1 left and right, after the turn.
    @Test(
        arguments: [
            (nil, nil, 1), (0, nil, 1), (1, nil, 8), (2, nil, 3), (3, nil, 6), (nil, 0, 4), (nil, 1, 2), (1, 1, 7),
            (1, 0, 5),
        ] as [(UInt8?, UInt8?, Int)])
    func propertiesOfAVIFAreHonored(turn: UInt8?, mirror: UInt8?, number: Int) throws {
        try expect(avif(turn: turn, mirror: mirror), "turned-\(number).avif", number)
    }

    @Test func damagedFilesHaveNoOrientation() throws {
        let files = [try jpeg(6), try png(6, isAtEnd: true), try webp(6), tiff(6), try avif(turn: 1, mirror: 0)]
        for file in files {
            for cut in stride(from: 0, to: min(file.count, 1_200), by: 7) {
                let part = Array(file.prefix(cut))
                _ = PhotoOrientation { part.dropFirst(Int(clamping: $0)).prefix(max(0, $1)).map(\.self) }.find()
                var changed = file
                changed[min(cut, file.count - 1)] ^= 0xFF
                let whole = changed
                _ = PhotoOrientation { whole.dropFirst(Int(clamping: $0)).prefix(max(0, $1)).map(\.self) }.find()
            }
        }
    }
}
