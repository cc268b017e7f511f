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
}
