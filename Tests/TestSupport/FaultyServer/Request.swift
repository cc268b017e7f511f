extension FaultyServer {
    /// A request, and what became of it.
    public struct Request: Sendable {
        public struct Header: Sendable, Equatable {
            /// As it was sent.
            public var name: String
            public var value: String
        }

        public var method: String
        /// Without the query.
        public var path: String
        public var query: String?
        /// In order.
        public var rawHeaders: [Header]
        /// The whole body.
        public var body: [UInt8] = []
        /// The port of the client's end of the connection.
        public var clientPort: UInt16 = 0
        /// Counted from 1, among the requests for this path.
        public var number = 0
        /// Counted from 1, among the requests with this method for this path.
        public var numberOfMethod = 0
        /// The status of the response; 0 before it, or if it is not HTTP.
        public var status = 0
        /// Bytes of the response's body that were passed to the kernel, without head and chunk framing.
        public var bodyBytes: Int64 = 0
        /// Whether the response is complete or was abandoned.
        public var isOver = false

        /// By names in lower case; the first of equal ones.
        public var headers: [String: String] {
            Dictionary(rawHeaders.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        }

        /// The first byte of `Range: bytes=a-b`; nil without one.
        public var rangeStart: Int64? { range?.from }
        /// The last byte; nil without one, or for "to the end".
        public var rangeEnd: Int64? { range?.to }

        /// A single range of bytes (RFC 9110, 14.1.2). `from` is nil for "the last `to` bytes".
        var range: (from: Int64?, to: Int64?)? {
            guard let text = headers["range"], text.hasPrefix("bytes=") else { return nil }
            let ends = text.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard ends.count == 2 else { return nil }
            let (from, to) = (Int64(ends[0]), Int64(ends[1]))
            guard from != nil || ends[0].isEmpty, to != nil || ends[1].isEmpty, from != nil || to != nil else {
                return nil
            }
            if let from, let to, to < from { return nil }
            return (from, to)
        }

        var isLastOfConnection: Bool { headers["connection"]?.lowercased() == "close" }

        /// Parses a request's head without its final empty line; nil if it is invalid.
        init?(head: some Sequence<UInt8>) {
            let lines = String(decoding: Array(head), as: UTF8.self).split(separator: "\r\n")
            let words = lines.first?.split(separator: " ") ?? []
            guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
            method = String(words[0])
            let target = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            path = String(target[0])
            query = target.count > 1 ? String(target[1]) : nil
            rawHeaders = lines.dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                let value = line[line.index(after: colon)...]
                return Header(name: String(line[..<colon]), value: String(value.drop { $0 == " " }))
            }
        }
    }
}
