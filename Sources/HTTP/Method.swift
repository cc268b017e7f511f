import Model

extension Transport {
    /// A method of HTTP (RFC 9110, 9). A value.
    package struct Method: Hashable, Sendable {
        package let name: String

        package static let get = Method("GET")
        package static let head = Method("HEAD")
        package static let post = Method("POST")
        package static let put = Method("PUT")
        package static let patch = Method("PATCH")
        package static let delete = Method("DELETE")

        /// - Parameter name: a token, in capitals.
        package init(_ name: String) {
            precondition(FieldName.isToken(name), "not an HTTP method: \(name)")
            self.name = name
        }

        /// Whether it changes nothing on the server (9.2.1).
        package var isSafe: Bool { ["GET", "HEAD", "OPTIONS", "TRACE"].contains(name) }

        /// Whether repeating it has no further effect on the server (9.2.2). Only such requests are retried.
        package var isIdempotent: Bool { isSafe || self == .put || self == .delete }

        /// The method after a redirection (15.4). 303 redirects to a result for GET. POST becomes GET
        /// after 301 and 302 too, as in browsers. Other methods stay.
        func redirected(_ status: Int) -> Method {
            switch status {
            case 303: self == .head ? .head : .get
            case 301, 302: self == .post ? .get : self
            default: self
            }
        }
    }

    /// The body of a request. It lies in memory, so that its length can be sent
    /// first and a redirection can repeat it. A value.
    package struct Content: Equatable, Sendable {
        package var bytes: [UInt8]
        /// The media type, such as "application/json".
        package var type: String

        package init(_ bytes: [UInt8], type: String) {
            self.bytes = bytes
            self.type = type
        }

        package static func json(_ bytes: [UInt8]) -> Content { Content(bytes, type: "application/json") }
    }
}
