import HTTPTypes

/// The sender of a request: separates one viewer's reactions from another's. It does not authenticate. Pure.
enum Viewer {
    static let header = HTTPField.Name("Flick-Viewer")!  // A token, as a header's name must be.

    /// The id in the header; without one, the address that the request came from.
    static func id(header: String?, peer: String?) throws(RequestError) -> String {
        guard let header else { return "peer:\(peer ?? "unknown")" }
        let isPlain: (UInt8) -> Bool = { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard (1...64).contains(header.utf8.count), header.utf8.allSatisfy(isPlain) else {
            throw RequestError(.badRequest, "Flick-Viewer: must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -")
        }
        return header
    }
}
