/// A manifest of DASH (ISO 23009-1), as far as it is told from other XML.
enum DashManifest {
    static func isOne(_ beginning: ArraySlice<UInt8>) -> Bool {
        let head = beginning.prefix(2_048)
        guard head.first(where: { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }) == UInt8(ascii: "<") else {
            return false
        }
        let mark = Array("<MPD".utf8)
        return head.indices.contains { head[$0...].starts(with: mark) }
    }
}
