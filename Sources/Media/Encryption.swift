import Wire

/// Finds out whether media is encrypted, by its bytes: libav demuxes it all the
/// same, and its decoders make rubbish of it. Pure.
struct Encryption {
    /// - Parameter scheme: how it is encrypted, if that is known: a name of at most 20 characters.
    static func error(scheme: Substring = "") -> MediaError {
        let name = scheme.isEmpty ? "" : " (\(scheme))"
        return MediaError(
            .undecodable, "encrypted\(name); only its own player has the key",
            advice: "get an unencrypted copy")
    }

    /// The sample entries of encrypted pictures and sound (ISO/IEC 14496-12, 8.12; also PIFF) and of FairPlay.
    private static let names = ["encv", "enca", "drmi", "drms"].map { Array($0.utf8) }
    /// Six zeros (ISO/IEC 14496-12, 8.5.2) follow the name of a sample entry.
    private static let length = 10

    /// Whether a sample entry of something encrypted has passed.
    private(set) var isFound = false
    /// The end of the bytes examined so far: a name can be cut in two.
    private var rest: [UInt8] = []

    /// Looks through the next bytes of an MP4, which should be those of its header.
    mutating func look(through bytes: UnsafeBufferPointer<UInt8>) {
        guard !isFound else { return }
        let seam = rest + bytes.prefix(Encryption.length - 1)
        isFound = seam.withUnsafeBufferPointer(Encryption.hasEntry) || Encryption.hasEntry(bytes)
        rest = Array((rest + bytes.suffix(Encryption.length - 1)).suffix(Encryption.length - 1))
    }

    private static func hasEntry(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= length else { return false }
        var place = 0
        while place <= bytes.count - length {
            // Where the last of the zeros is missing, it is missing in the next places too.
            guard bytes[place + length - 1] == 0 else {
                place += length - 4
                continue
            }
            if bytes[place + 4..<place + length].allSatisfy({ $0 == 0 }),
                names.contains(where: { bytes[place..<place + 4].elementsEqual($0) })
            {
                return true
            }
            place += 1
        }
        return false
    }

    /// Whether most packets of a transport stream that begins with these bytes
    /// are scrambled (ISO/IEC 13818-1, 2.4.3.3).
    static func isScrambled(stream bytes: ArraySlice<UInt8>) -> Bool {
        let size = bytes.count > 192 && bytes[bytes.startIndex + 188] != 0x47 ? 192 : 188
        let first = size == 192 ? 4 : 0
        var (clear, scrambled) = (0, 0)
        for start in stride(from: bytes.startIndex + first, to: bytes.endIndex - 4, by: size) {
            guard bytes[start] == 0x47 else { return false }
            // Tables are never scrambled, and come often where pictures are small. Packets of stuffing do not count.
            let kind = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
            guard kind > 0x1F, kind < 0x1FFF, bytes[start + 3] & 0x10 != 0 else { continue }
            if bytes[start + 3] & 0xC0 == 0 { clear += 1 } else { scrambled += 1 }
        }
        return scrambled > clear
    }
}
