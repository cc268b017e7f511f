import HTTPTypes
import Model

/// Why a request fails: the status and the reason of its answer. A value.
struct RequestError: Error, Equatable {
    var status: HTTPResponse.Status
    /// One line, for people; for a field of a body or an address: "name: what is wrong with it".
    var why: String
    var headers: HTTPFields
    /// The rest of the request is not read.
    var endsConnection: Bool

    init(
        _ status: HTTPResponse.Status, _ why: String, headers: HTTPFields = [:], endsConnection: Bool = false
    ) {
        self.status = status
        self.why = why
        self.headers = headers
        self.endsConnection = endsConnection
    }

    static let unknownItem = RequestError(.notFound, "no such item")
    static let unknownPath = RequestError(.notFound, "not found; see /openapi.json")

    /// The body of every error answer.
    static func body(_ why: String) -> [UInt8] {
        var object = JSONLine()
        object.put("error", .text(why))
        return object.finished()
    }
}
