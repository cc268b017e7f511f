internal import CCharset

/// Converts text of one of iconv's encodings to UTF-8, as it arrives. Used by one thread.
package final class CharsetConverter {
    private let charset: OpaquePointer
    /// The beginning of a character whose rest has not arrived.
    private var rest: [UInt8] = []

    package static func knows(_ name: String) -> Bool { CharsetConverter(name) != nil }

    /// nil if iconv knows no encoding of this name.
    package init?(_ name: String) {
        guard let charset = flick_charset_open(name) else { return nil }
        self.charset = charset
    }

    deinit { flick_charset_close(charset) }

    /// Adds what `bytes` mean to `text`. A byte without meaning becomes U+FFFD.
    package func add(_ bytes: [UInt8], isLast: Bool, to text: inout [UInt8]) {
        let bytes = rest + bytes
        rest = []
        var start = 0
        while start < bytes.count {
            let (stop, read) = convert(bytes[start...], to: &text)
            start += read
            switch stop {
            case FLICK_CHARSET_DONE: return
            case FLICK_CHARSET_FULL: continue
            case FLICK_CHARSET_INCOMPLETE where !isLast && bytes.count - start <= 16:
                rest = Array(bytes[start...])
                return
            default:
                text += [0xEF, 0xBF, 0xBD]
                start += 1
            }
        }
    }

    private func convert(_ bytes: ArraySlice<UInt8>, to text: inout [UInt8]) -> (stop: flick_charset_stop, read: Int) {
        var stop = FLICK_CHARSET_DONE
        var left = bytes.count
        let count = bytes.count
        let part = [UInt8](unsafeUninitializedCapacity: count * 2 + 64) { out, used in
            var room = out.count
            bytes.withUnsafeBytes { bytes in
                stop = flick_charset_convert(
                    charset, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), &left,
                    UnsafeMutableRawPointer(out.baseAddress)?.assumingMemoryBound(to: CChar.self), &room)
            }
            used = out.count - room
        }
        text += part
        return (stop, count - left)
    }
}
