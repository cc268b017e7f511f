import HTTPTypes
import Model

/// The answer to a request. A value.
struct Answer {
    enum Body {
        case bytes([UInt8])
        case file(ServedFile, Range<Int64>)
        case none
    }

    var status: HTTPResponse.Status
    var headers: HTTPFields
    var body: Body

    init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A text that is not kept by those between.
    static func text(
        _ bytes: [UInt8], type: String = "application/json", status: HTTPResponse.Status = .ok
    ) -> Answer {
        Answer(status, headers: [.contentType: type, .cacheControl: "no-cache"], body: .bytes(bytes))
    }

    static func text(_ object: JSONLine, status: HTTPResponse.Status = .ok) -> Answer {
        text(object.finished(), status: status)
    }

    init(_ error: RequestError) {
        self = .text(RequestError.body(error.why), status: error.status)
        for field in error.headers { headers[field.name] = field.value }
        if error.endsConnection { headers[.connection] = "close" }
    }
}
