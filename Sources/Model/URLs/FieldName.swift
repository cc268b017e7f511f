/// Names of the fields of a request's head: which there can be, and which a feed does not set. Pure.
public enum FieldName {
    /// What frames a message, names its receiver, belongs to the connection or the proxy (RFC 9110, 7.6.1; RFC 9112, 6), or says which bytes are
    /// wanted: that flick says itself, or it must not be said for it.
    private static let ours: Set<String> = [
        "host", "content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive", "te", "trailer",
        "upgrade", "expect", "range", "if-range", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "accept-encoding", "http2-settings", "proxy-authorization", "proxy-connection",
    ]

    /// Whether a field of that name, in whatever case, is not a feed's to set.
    public static func isOurs(_ name: String) -> Bool { ours.contains(name.lowercased()) }

    /// Whether it is a token (RFC 9110, 5.6.2), and so can be sent at all.
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
