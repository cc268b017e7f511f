/// Which names of request header fields are valid, and which a feed must not set. Pure.
public enum FieldName {
    /// Fields that frame a message, name its receiver, belong to the connection or the proxy (RFC 9110, 7.6.1; RFC
    /// 9112, 6), or select bytes. Either flick sets them itself, or they are not allowed.
    private static let reserved: Set<String> = [
        "host", "content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
        "upgrade", "expect", "range", "if-range", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "accept-encoding", "http2-settings", "proxy-authorization", "proxy-connection",
    ]

    /// Whether a feed must not set a field of that name. Not case-sensitive.
    public static func isReserved(_ name: String) -> Bool { reserved.contains(name.lowercased()) }

    /// Both sets of fields, of which `own` counts more; names are not case-sensitive.
    package static func merge(_ own: [String: String], over common: [String: String]) -> [String: String] {
        guard !own.isEmpty, !common.isEmpty else { return own.isEmpty ? common : own }
        let named = Set(own.keys.map { $0.lowercased() })
        return common.filter { !named.contains($0.key.lowercased()) }.merging(own) { _, own in own }
    }

    /// Whether it is a token (RFC 9110, 5.6.2), which a field name must be.
    public static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
