import Model

extension JSONParser {
    /// Reads what a stream gives. Blocks while that does.
    init(_ stream: ByteStream) { self.init(stream.next) }
}

/// JSON that is at hand as a whole, such as the body of a request or a small file.
extension JSON {
    /// Throws what is wrong with it. Bytes that are not UTF-8 are wrong, too.
    package init(whole bytes: [UInt8]) throws(JSONError) {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw JSONError(line: 1, column: 1, why: "it is not UTF-8")
        }
        var parser = JSONParser(ByteStream(bytes, name: "JSON"))
        guard let value = try parser.value(upTo: bytes.count) else {
            throw JSONError(line: 1, column: 1, why: "it is too long")
        }
        try parser.end()
        self = value
    }

    /// The first value of a stream; nil if that is no JSON, or has more than `limit` bytes. Throws why the bytes ended
    /// early. Blocks while the stream does.
    static func value(of stream: ByteStream, upTo limit: Int) throws(BytesError) -> JSON? {
        var parser = JSONParser(stream)
        var value: JSON?
        do throws(JSONError) { value = try parser.value(upTo: limit) } catch {
            // Invalid JSON has no value.
            value = nil
        }
        if let failure = stream.failure { throw failure }
        return value
    }
}
