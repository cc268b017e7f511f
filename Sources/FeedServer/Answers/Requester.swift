import HTTPTypes

/// A token that requests have to bring: every one, or those for statistics. A value.
struct AccessToken: Sendable {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// How a request has shown it: in its address or in a header; nil if it has not.
    enum Place: Equatable { case address, header }

    func place(authorization: String?, query: String?) -> Place? {
        if let query, isEqual(query) { return .address }
        let words = (authorization ?? "").split(separator: " ", maxSplits: 1)
        if words.count == 2, words[0].lowercased() == "bearer", isEqual(words[1]) { return .header }
        return nil
    }

    /// Compares in constant time, so that the time of an answer does not reveal how much of a guess was right.
    private func isEqual(_ given: some StringProtocol) -> Bool {
        var difference: UInt8 = given.utf8.count == bytes.count ? 0 : 1
        for (index, byte) in given.utf8.enumerated() { difference |= byte ^ bytes[index % max(1, bytes.count)] }
        return difference == 0 && !bytes.isEmpty
    }

    static let required = RequestError(
        .unauthorized, "access token required: \"Authorization: Bearer TOKEN\" or \"?token=TOKEN\"",
        headers: [.wwwAuthenticate: "Bearer realm=\"flick\""])

    static let adminRequired = RequestError(
        .unauthorized, "admin token required: \"Authorization: Bearer TOKEN\" or \"?token=TOKEN\"",
        headers: [.wwwAuthenticate: "Bearer realm=\"flick statistics\""])
    static let noAdmin = RequestError(
        .forbidden, "statistics and reports are off: the server was started without --admin-token")
}

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
