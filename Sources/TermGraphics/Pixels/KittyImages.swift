internal import CCompression
import Model

/// The pictures of one screen in kitty's graphics protocol
/// (https://sw.kovidgoyal.net/kitty/graphics-protocol/), as bytes.
///
/// Two images take turns: the new one is sent, placed, and only
/// then the old one deleted. No answer is requested (`q=2`).
struct KittyImages: ~Copyable {
    /// Arbitrary: the alternate screen has its own images. Below 2^24, as old versions require.
    static let ids = (0x66_6C69, 0x66_6C6A)
    /// Below the text, and below cells with their own background: less than half of the smallest number.
    static let depth = -(1 << 30) - 1
    /// The most characters of one chunk.
    private static let chunk = 4_096

    private var isSecond = false
    /// Buffers for the pixels as they are sent, and compressed. Reused for the next picture.
    private var plain: [UInt8] = []
    private var packed: [UInt8] = []

    /// The image that is sent next.
    private var next: Int { isSecond ? Self.ids.1 : Self.ids.0 }

    /// Deletes both images and their placements.
    static func appendDeletion(to buffer: inout ByteBuffer) {
        for id in [ids.0, ids.1] { appendDeletion(of: id, to: &buffer) }
    }

    private static func appendDeletion(of id: Int, to buffer: inout ByteBuffer) {
        buffer.append("\u{1B}_Ga=d,d=I,i=\(id),q=2\u{1B}\\")
    }

    /// Sends the next image as the name of an object in shared memory, which holds `size` in the form of `write`.
    func append(name: String, size: PixelSize, to buffer: inout ByteBuffer) {
        buffer.append(
            "\u{1B}_Ga=t,t=s,f=32,s=\(size.width),v=\(size.height),S=\(4 * size.width * size.height),i=\(next),q=2;")
        buffer.appendBase64(name)
        buffer.append("\u{1B}\\")
    }

    /// Writes pixels as red, green, blue and opaque.
    static func write(_ pixels: UnsafePointer<UInt32>, count: Int, to memory: UnsafeMutableRawPointer) {
        var place = 0
        while place + 8 <= count {
            let pixel = UnsafeRawPointer(pixels + place).loadUnaligned(as: SIMD8<UInt32>.self)
            let turned =
                ((pixel & 0xFF) &<< 16) | (pixel & 0xFF00) | ((pixel &>> 16) & 0xFF) | SIMD8(repeating: 0xFF00_0000)
            (memory + 4 * place).storeBytes(of: turned, as: SIMD8<UInt32>.self)
            place += 8
        }
        while place < count {
            let pixel = pixels[place]
            let turned = (pixel & 0xFF) << 16 | pixel & 0xFF00 | pixel >> 16 & 0xFF | 0xFF00_0000
            (memory + 4 * place).storeBytes(of: turned.littleEndian, as: UInt32.self)
            place += 1
        }
    }

    /// Sends the next image whole, compressed.
    mutating func append(_ pixels: UnsafePointer<UInt32>, size: PixelSize, to buffer: inout ByteBuffer) {
        let count = size.width * size.height
        if plain.count != 3 * count {
            plain = Array(repeating: 0, count: 3 * count)
            packed = Array(repeating: 0, count: flick_deflate_bound(3 * count))
        }
        plain.withUnsafeMutableBufferPointer { plain in
            guard var out = plain.baseAddress else { return }
            for place in 0..<count {
                let pixel = pixels[place]
                out[0] = UInt8(truncatingIfNeeded: pixel >> 16)
                out[1] = UInt8(truncatingIfNeeded: pixel >> 8)
                out[2] = UInt8(truncatingIfNeeded: pixel)
                out += 3
            }
        }
        let length = flick_deflate(plain, plain.count, &packed, packed.count)
        packed.withUnsafeBufferPointer { packed in
            let step = Self.chunk / 4 * 3
            for start in stride(from: 0, to: max(length, 1), by: step) {
                let end = min(start + step, length)
                let more = end < length ? 1 : 0
                if start == 0 {
                    buffer.append(
                        "\u{1B}_Ga=t,f=24,o=z,s=\(size.width),v=\(size.height),i=\(next),q=2,m=\(more);")
                } else {
                    buffer.append("\u{1B}_Gq=2,m=\(more);")
                }
                Base64.append(UnsafeBufferPointer(rebasing: packed[start..<end]), to: &buffer)
                buffer.append("\u{1B}\\")
            }
        }
    }

    /// Shows the image that was sent last over the whole grid, and deletes the one before it. The cursor stays.
    mutating func appendPlacement(over grid: GridSize, to buffer: inout ByteBuffer) {
        // DECSC, CUP, and DECRC below.
        buffer.append("\u{1B}7\u{1B}[H")
        buffer.append(
            "\u{1B}_Ga=p,i=\(next),p=1,c=\(grid.columns),r=\(grid.rows),z=\(Self.depth),C=1,q=2\u{1B}\\")
        buffer.append("\u{1B}8")
        isSecond.toggle()
        Self.appendDeletion(of: next, to: &buffer)
    }
}
