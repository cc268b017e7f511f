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
