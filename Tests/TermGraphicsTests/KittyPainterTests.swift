import Foundation
import Model
import TestSupport
import Testing

@testable import TermGraphics

/// Memory that a test looks into.
private final class KeptMemory: PictureMemory {
    var isUsable = true
    var isFull = false
    var stored: [[UInt8]] = []

    func store(_ count: Int, _ fill: (UnsafeMutableRawPointer) -> Void) -> String? {
        guard !isFull else { return nil }
        stored.append(
            Array(unsafeUninitializedCapacity: count) { buffer, length in
                if let base = buffer.baseAddress { fill(UnsafeMutableRawPointer(base)) }
                length = count
            })
        return "/picture-\(stored.count)"
    }
}

@Suite struct KittyPainterTests {
    private static let size = GridSize(columns: 12, rows: 5)
    private static let format = PictureFormat(.kitty, samplesPerCell: PixelSize(width: 3, height: 5))

    private let memory = KeptMemory()
    private var random = SeededRandom(state: 7)

    private func painter(isSynchronised: Bool = false, memory: (any PictureMemory)?) -> KittyPainter {
        KittyPainter(
            size: Self.size, pictures: Self.format, capabilities: EncoderCapabilities(synchronised: isSynchronised),
            memory: memory)
    }

    private mutating func picture() -> Picture {
        let size = Self.format.pictureSize(for: Self.size)
        return Picture(
            size: size,
            pixels: (0..<size.width * size.height).map { _ in .random(in: 0...0xFF_FFFF, using: &random) })
    }

    private func paint(_ painter: KittyPainter, _ canvas: borrowing Canvas) -> (text: String, figures: PaintStats) {
        var buffer = ByteBuffer()
        let figures = painter.paint(canvas, within: .max, precision: .exact, into: &buffer)
        #expect(figures.bytes == buffer.count)
        return (buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }, figures)
    }

    private func canvas() -> Canvas { Canvas(size: Self.size, pictures: Self.format, color: .truecolor) }

    /// The graphics commands in an update, without APC and ST.
    private func commands(in text: String) -> [String] {
        text.components(separatedBy: "\u{1B}_G").dropFirst().map {
            $0.components(separatedBy: "\u{1B}\\")[0]
        }
    }

    @Test mutating func pixelsGoThroughMemoryByName() throws {
        var canvas = canvas()
        let picture = picture()
        canvas.compose(picture, under: CellGrid(size: Self.size))
        let sent = commands(in: paint(painter(memory: memory), canvas).text)
        let name = Data("/picture-1".utf8).base64EncodedString()
        #expect(sent.contains("a=t,t=s,f=32,s=36,v=25,S=3600,i=\(KittyImages.ids.0),q=2;\(name)"))
        let stored = try #require(memory.stored.first)
        let expected = picture.pixels.flatMap { pixel -> [UInt8] in
            [UInt8(pixel >> 16), UInt8(pixel >> 8 & 0xFF), UInt8(pixel & 0xFF), 255]
        }
        #expect(stored == expected)
    }

    /// python3's zlib and base64 take it apart.
    @Test mutating func withoutMemoryPixelsAreSentCompressed() throws {
        var canvas = canvas()
        let picture = picture()
        canvas.compose(picture, under: CellGrid(size: Self.size))
        let sent = commands(in: paint(painter(memory: nil), canvas).text).filter { $0.contains("m=") }
        let payloads = sent.map { $0.components(separatedBy: ";")[1] }
        #expect(sent[0].hasPrefix("a=t,f=24,o=z,s=36,v=25,i=\(KittyImages.ids.0),q=2,m="))
        #expect(payloads.allSatisfy { $0.utf8.count <= 4_096 })
        #expect(payloads.dropLast().allSatisfy { $0.utf8.count == 4_096 })
        #expect(sent.dropLast().allSatisfy { $0.contains("m=1") } && sent.last?.contains("m=0") == true)
        let folder = TemporaryFolder()
        let path = folder.path + "/payload"
        try payloads.joined().write(toFile: path, atomically: false, encoding: .utf8)
        let unpacked = try Command.run(
            [
                "python3", "-c",
                "import base64,sys,zlib; print(zlib.decompress(base64.b64decode(open(sys.argv[1]).read(),None,True)).hex())",
                path,
            ])
        #expect(unpacked.status == 0)
        let wanted = picture.pixels.map { String(format: "%06x", $0) }.joined()
        #expect(unpacked.output.trimmingCharacters(in: .newlines) == wanted)
    }

    @Test func smallerPictureIsSentWithoutTheRestOfALargerOne() {
        let pixels = [UInt32](repeating: 0x12_3456, count: 900)
        func bytes(after earlier: [PixelSize]) -> [UInt8] {
            var images = KittyImages()
            var buffer = ByteBuffer()
            for size in earlier + [PixelSize(width: 10, height: 10)] {
                buffer.removeAll()
                images.append(pixels, size: size, to: &buffer)
            }
            return buffer.withUnsafeBytes { Array($0) }
        }
        #expect(bytes(after: [PixelSize(width: 36, height: 25)]) == bytes(after: []))
    }

    @Test mutating func whileOnlyTextChangesNoPixelsAreSent() {
        let painter = painter(memory: memory)
        var canvas = canvas()
        let picture = picture()
        var overlay = CellGrid(size: Self.size)
        canvas.compose(picture, under: overlay)
        _ = paint(painter, canvas)
        overlay[2, 1] = Cell(glyph: Glyph("x"), foreground: .white)
        canvas.compose(picture, under: overlay)
        let (text, figures) = paint(painter, canvas)
        #expect(commands(in: text).isEmpty && text.hasSuffix("x") && figures.cells == 1)
        canvas.compose(picture, under: overlay)
        #expect(paint(painter, canvas).text.isEmpty)
        #expect(memory.stored.count == 1)
    }

    @Test mutating func twoImagesTakeTurnsAndTheOldOneGoesLast() {
        let painter = painter(isSynchronised: true, memory: memory)
        var canvas = canvas()
        let (first, second) = KittyImages.ids
        for (id, other) in [(first, second), (second, first), (first, second)] {
            canvas.compose(picture(), under: CellGrid(size: Self.size))
            let text = paint(painter, canvas).text
            let sent = commands(in: text).suffix(3)
            #expect(sent.first?.contains("i=\(id),") == true)
            #expect(sent.dropFirst().first == "a=p,i=\(id),p=1,c=12,r=5,z=-1073741825,C=1,q=2")
            #expect(sent.last == "a=d,d=I,i=\(other),q=2")
            // The data come before the update, what shows them within it.
            let parts = text.components(separatedBy: "\u{1B}[?2026h")
            #expect(parts.count == 2 && parts[0].contains("a=t") && parts[1].contains("a=p"))
            #expect(text.hasSuffix("\u{1B}[?2026l"))
        }
    }

    @Test mutating func pictureWithoutRoomInTheTerminalIsPostponed() {
        let painter = painter(memory: memory)
        var canvas = canvas()
        canvas.compose(picture(), under: CellGrid(size: Self.size))
        memory.isFull = true
        let (text, figures) = paint(painter, canvas)
        #expect(!figures.isExact && !text.contains("a=p"))
        memory.isFull = false
        let later = paint(painter, canvas)
        #expect(later.figures.isExact && later.text.contains("a=p"))
    }

    @Test mutating func forgottenImagesAreDeletedAndResent() {
        let painter = painter(memory: memory)
        var canvas = canvas()
        canvas.compose(picture(), under: CellGrid(size: Self.size))
        _ = paint(painter, canvas)
        painter.forget()
        let sent = commands(in: paint(painter, canvas).text)
        #expect(sent.prefix(2).allSatisfy { $0.hasPrefix("a=d,d=I") } && sent.contains { $0.hasPrefix("a=t") })
    }

    /// Letters have no ground of their own; a ground is painted into the pixels too, as not every terminal shows it
    /// before a picture.
    @Test mutating func textStandsOverPixelsAndGroundsArePartOfThem() {
        var canvas = canvas()
        var overlay = CellGrid(size: Self.size)
        overlay[0, 0] = Cell(glyph: Glyph("a"), foreground: .white)
        overlay[1, 0] = Cell(
            glyph: Glyph("b"), foreground: .white, background: RGB(1, 2, 3), style: .opaque)
        overlay[2, 0] = Cell(glyph: .space, foreground: .white)
        let picture = picture()
        canvas.compose(picture, under: overlay)
        #expect(canvas.cell(0) == PaintedCell(glyph: 0x61, colors: 0xFF_FFFF | UInt64(PaintedCell.noGround) << 32))
        #expect(canvas.cell(1).background == 0x010203)
        #expect(canvas.cell(2) == .clear && canvas.cell(3) == .clear)
        let width = 36
        for y in 0..<5 {
            for x in 0..<9 {
                #expect(canvas.pixels[y * width + x] == (3..<6 ~= x ? 0x010203 : picture.pixels[y * width + x]))
            }
        }
        let text = paint(painter(memory: memory), canvas).text
        #expect(text.contains("\u{1B}[38;2;255;255;255;49ma\u{1B}[48;2;1;2;3mb\u{1B}[49m "))
    }

    @Test func differencesAreFoundFromBothEnds() {
        let first = Plane<UInt32>(count: 70, filledWith: 5)
        let second = Plane<UInt32>(count: 70, filledWith: 5)
        for count in 0...70 {
            #expect(Pixels.areEqual(first.base, second.base, count: count))
            #expect(Pixels.endOfDifference(first.base, second.base, count: count) == 0)
            for place in 0..<count {
                second[place] = 6
                #expect(Pixels.firstDifference(first.base, second.base, count: count) == place)
                #expect(Pixels.endOfDifference(first.base, second.base, count: count) == place + 1)
                second[place] = 5
            }
        }
    }
}
