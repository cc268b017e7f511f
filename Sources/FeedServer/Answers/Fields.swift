import Feeds
import Model

/// The fields of a request's JSON object, read with the limits that each has. What is wrong is thrown as 400, with the
/// field's name and the reason. A value.
struct Fields {
    /// The most bytes of a body.
    static let sizeLimit = 64 << 10

    private let object: JSON

    init(_ body: [UInt8]) throws(RequestError) {
        do throws(JSONError) { object = try JSON(whole: body) } catch {
            throw RequestError(.badRequest, "the body is not JSON: \(error)")
        }
        guard case .object = object else { throw RequestError(.badRequest, "the body is not an object") }
    }

    /// The fields of a request whose body is optional.
    init(optional body: [UInt8]) throws(RequestError) { try self.init(body.isEmpty ? Array("{}".utf8) : body) }

    private func invalid(_ name: String, _ why: String) -> RequestError { RequestError(.badRequest, "\(name): \(why)") }

    /// A text of 1 to `limit` characters (Unicode scalars), after trimming.
    func text(_ name: String, limit: Int) throws(RequestError) -> String {
        guard let text = try optionalText(name, limit: limit) else { throw invalid(name, "it is missing or empty") }
        return text
    }

    func optionalText(_ name: String, limit: Int) throws(RequestError) -> String? {
        guard let value = object[name] else { return nil }
        guard case .text(let text) = value else { throw invalid(name, "it is not a string") }
        var scalars = Substring.UnicodeScalarView(text.unicodeScalars[...])
        while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
        while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
        guard scalars.count <= limit else { throw invalid(name, "it is longer than \(limit) characters") }
        guard !scalars.contains("\0") else { throw invalid(name, "it contains NUL") }
        return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars))
    }

    /// An id: 1 to 128 characters that are visible ASCII.
    func id(_ name: String) throws(RequestError) -> String {
        let text = try text(name, limit: 128)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw invalid(name, "it must be printable ASCII")
        }
        return text
    }

    func number(_ name: String, in range: ClosedRange<Double>) throws(RequestError) -> Double? {
        guard let value = object[name] else { return nil }
        guard case .number(let number) = value, number.isFinite else { throw invalid(name, "it is not a number") }
        guard range.contains(number) else {
            let ends = [range.lowerBound, range.upperBound].map(JSONLine.decimal)
            throw invalid(name, "it is out of range: \(ends[0]) to \(ends[1])")
        }
        return number
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(RequestError) -> Int? {
        let number = try number(name, in: Double(range.lowerBound)...Double(range.upperBound))
        guard let number else { return nil }
        guard number == number.rounded() else { throw invalid(name, "it is not a whole number") }
        return Int(number)
    }

    func flag(_ name: String) throws(RequestError) -> Bool? {
        guard let value = object[name] else { return nil }
        guard case .flag(let flag) = value else { throw invalid(name, "it is neither true nor false") }
        return flag
    }

    /// Throws if the value is missing.
    func required<Value>(_ name: String, _ value: Value?) throws(RequestError) -> Value {
        guard let value else { throw invalid(name, "it is missing") }
        return value
    }

    /// Percents, rising or not.
    func percents(_ name: String) throws(RequestError) -> [Int]? {
        guard let value = object[name] else { return nil }
        guard case .list(let values) = value, values.count <= 16 else {
            throw invalid(name, "it is not a list of at most 16 numbers")
        }
        var percents: [Int] = []
        for value in values {
            guard case .number(let number) = value, number == number.rounded(), (1...100).contains(number) else {
                throw invalid(name, "it must contain whole numbers from 1 to 100")
            }
            percents.append(Int(number))
        }
        return percents
    }

    // MARK: Times

    /// When something happened, by the client's clock.
    struct Moment: Equatable {
        /// In seconds since 1970.
        var at: Double
        /// It differs by over an hour from the server's time of receipt.
        var isFar: Bool
        /// It is over an hour ahead.
        var isAhead: Bool
    }

    /// A client's clock that differs by more counts as wrong, and a request whose time
    /// is further in the future is rejected. In seconds.
    static let tolerance = 3_600.0
    static let future = 86_400.0

    /// The field `at`: RFC 3339, or seconds since 1970. nil without one.
    func moment(now: Double) throws(RequestError) -> Moment? {
        guard let value = object["at"] else { return nil }
        let at: Double
        switch value {
        case .text(let text):
            guard text.utf8.count <= 64, let date = RFC3339.date(from: text) else {
                throw invalid("at", "it is not an RFC 3339 date")
            }
            at = date.timeIntervalSince1970
        case .number(let number): at = number
        default: throw invalid("at", "it is neither an RFC 3339 date nor a number of seconds")
        }
        guard at >= 0 else { throw invalid("at", "it is before 1970") }
        guard at <= now + Self.future else { throw invalid("at", "it is in the future") }
        return Moment(at: at, isFar: abs(at - now) > Self.tolerance, isAhead: at - now > Self.tolerance)
    }
}
