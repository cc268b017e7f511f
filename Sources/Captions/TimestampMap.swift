/// The header of WebVTT segments of HLS: "X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000" (RFC 8216, 3.5). Pure.
enum TimestampMap {
    /// How far into a text the header is looked for.
    static let headSize = 4_096

    /// The time of the stream less that of the text.
    static func offset(in text: [UInt8]) -> Duration? {
        let name = Array("X-TIMESTAMP-MAP=".utf8)
        for line in text.prefix(headSize).split(maxSplits: 64, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if CueTime.range(in: line) != nil { return nil }
            guard line.starts(with: name) else { continue }
            var (ticks, local): (Int64?, Duration?)
            for field in line.dropFirst(name.count).split(separator: UInt8(ascii: ",")) {
                let parts = field.split(separator: UInt8(ascii: ":"), maxSplits: 1)
                guard parts.count == 2 else { continue }
                switch String(decoding: parts[0], as: UTF8.self).lowercased() {
                case "mpegts": ticks = Int64(String(decoding: parts[1].prefix(20), as: UTF8.self))
                case "local":
                    var rest = parts[1]
                    local = CueTime.time(&rest)
                default: break
                }
            }
            // 33 bits, 90,000 of them a second (ISO 13818-1, 2.4.3.7).
            guard let ticks, let local, (0..<1 << 33).contains(ticks) else { return nil }
            return .microseconds(ticks * 100 / 9) - local
        }
        return nil
    }
}
