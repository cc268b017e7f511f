internal import CCompression
import Model

/// Pictures as files within the terminal's output, which iTerm2 began with (OSC 1337,
/// https://iterm2.com/documentation-images.html): as PNG, scaled to the cells by the terminal.
struct InlinePictures: ~Copyable, CellPictures {
    let maxCells: GridSize
    let leavesTextOut = false
    private let samples: PixelSize
    private var png = PNG()

    init(grid: GridSize, samples: PixelSize) {
        maxCells = grid
        self.samples = samples
    }

    mutating func begin(_ pixels: UnsafePointer<UInt32>, count: Int) {}

    mutating func append(_ pixels: CellPixels, over area: GridRect, to buffer: inout ByteBuffer) {
        let size = PixelSize(width: area.columns * samples.width, height: area.rows * samples.height)
        let corner = pixels.pixels + area.row * samples.height * pixels.stride + area.column * samples.width
        let file = png.file(of: PictureView(pixels: corner, size: size, stride: pixels.stride))
        // The picture's shape is that of the cells, whatever the pixels' is.
        buffer.append(
            "\u{1B}]1337;File=inline=1;size=\(file.count);width=\(area.columns);height=\(area.rows);preserveAspectRatio=0;doNotMoveCursor=1:"
        )
        file.withUnsafeBufferPointer { Base64.append($0, to: &buffer) }
        buffer.append(0x07)
    }
}

/// Pictures as files in PNG (https://www.w3.org/TR/png-3/): 24-bit colours, each pixel as its difference from the one
/// before it.
public struct PNG: ~Copyable {
    /// Buffers for a picture's rows in PNG's form, and compressed. Reused for the next picture.
    private var rows: [UInt8] = []
    private var packed: [UInt8] = []

    public init() {}

    public mutating func file(of picture: PictureView) -> [UInt8] {
        let (width, height) = (picture.size.width, picture.size.height)
        let count = height * (1 + 3 * width)
        if rows.count < count {
            rows = Array(repeating: 0, count: count)
            packed = Array(repeating: 0, count: flick_deflate_bound(count))
        }
        rows.withUnsafeMutableBufferPointer { rows in
            guard var out = rows.baseAddress else { return }
            for y in 0..<height {
                out[0] = 1  // the filter "Sub"
                out += 1
                var before: UInt32 = 0
                let line = picture.pixels + y * picture.stride
                for x in 0..<width {
                    let pixel = line[x]
                    out[0] = UInt8(truncatingIfNeeded: pixel >> 16 &- before >> 16)
                    out[1] = UInt8(truncatingIfNeeded: pixel >> 8 &- before >> 8)
                    out[2] = UInt8(truncatingIfNeeded: pixel &- before)
                    out += 3
                    before = pixel
                }
            }
        }
        let length = flick_deflate(rows, count, &packed, packed.count)
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file.reserveCapacity(length + 64)
        // Eight bits a channel, red, green and blue.
        Self.append("IHDR", Self.bytes(width) + Self.bytes(height) + [8, 2, 0, 0, 0], to: &file)
        Self.append("IDAT", packed[..<length], to: &file)
        Self.append("IEND", [], to: &file)
        return file
    }

    private static func bytes(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func append(_ kind: StaticString, _ content: some Collection<UInt8>, to file: inout [UInt8]) {
        file += bytes(content.count)
        let start = file.count
        kind.withUTF8Buffer { file += $0 }
        file += content
        let sum = file.withUnsafeBufferPointer { file in
            file[start...].withContiguousStorageIfAvailable { flick_crc32($0.baseAddress, $0.count) } ?? 0
        }
        file += bytes(Int(sum))
    }
}
