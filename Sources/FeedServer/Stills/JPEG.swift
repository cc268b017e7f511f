internal import CJPEG
import Model

/// Writes pictures as JPEG. Any thread.
enum JPEG {
    private static let quality: Int32 = 80

    /// Loads libturbojpeg. Returns why it cannot be had; nil if it can. Takes about a millisecond the first time.
    static func load() -> String? {
        guard flick_jpeg_load() != 0 else { return nil }
        return CleanText.line(String(cString: flick_jpeg_load_error()), limit: 200)
    }

    /// A picture's file; nil for an empty picture. `load` has succeeded before.
    /// Some milliseconds for the largest still.
    static func file(of picture: Picture) -> [UInt8]? {
        let (width, height) = (Int32(clamping: picture.size.width), Int32(clamping: picture.size.height))
        guard width > 0, height > 0 else { return nil }
        let bound = flick_jpeg_bound(width, height)
        var length = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            length = picture.withView {
                flick_jpeg_write($0.pixels, width, height, Int32($0.stride), quality, buffer.baseAddress)
            }
            count = max(0, length)
        }
        return length > 0 ? bytes : nil
    }
}
