import Testing

@testable import FeedServer

@Suite struct FieldsTests {
    private let now = 1_800_000_000.0

    private func why(_ body: String, _ read: (Fields) throws -> Void) -> String? {
        do {
            try read(try Fields(Array(body.utf8)))
            return nil
        } catch let error as RequestError {
            return "\(error.status.code) \(error.why)"
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: ["", "[]", "1", "\"x\"", "{", "{\"a\":1}x", "{\"a\":NaN}", "null"])
    func otherValuesThanObjectsAreRejected(body: String) {
        #expect(why(body) { _ in }?.hasPrefix("400 the body is not ") == true)
    }

    @Test func wrongUTF8IsRefused() {
        #expect(throws: RequestError.self) { try Fields([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D]) }
        #expect(throws: RequestError.self) { try Fields(Array("{\"a\":\"".utf8) + [0xC0, 0x80] + Array("\"}".utf8)) }
    }

    @Test func textsAreTrimmedAndCounted() throws {
        let fields = try Fields(Array("{\"a\":\" \\n\u{E9}\u{1F408} \",\"b\":\"  \",\"c\":7,\"d\":\"x\\u0000y\"}".utf8))
        #expect(try fields.text("a", limit: 2) == "é🐈")
        #expect(throws: RequestError(.badRequest, "a: it is longer than 1 characters")) {
            try fields.text("a", limit: 1)
        }
        #expect(throws: RequestError(.badRequest, "b: it is missing or empty")) { try fields.text("b", limit: 9) }
        #expect(throws: RequestError(.badRequest, "c: it is not a string")) { try fields.text("c", limit: 9) }
        #expect(throws: RequestError(.badRequest, "d: it contains NUL")) { try fields.text("d", limit: 9) }
        #expect(try fields.optionalText("z", limit: 9) == nil)
    }

    @Test func numbersHaveTheirRange() throws {
        let fields = try Fields(
            Array(#"{"a":-1,"b":1e999,"c":"1","d":1.5,"e":3,"f":[25,50],"g":[0],"h":[1.5],"i":1}"#.utf8))
        for name in ["a", "c", "f"] { #expect(throws: RequestError.self) { try fields.number(name, in: 0...10) } }
        // Beyond what a number can be, it counts as missing, and what is needed may not be missing.
        #expect(try fields.number("b", in: 0...10) == nil)
        #expect(throws: RequestError(.badRequest, "b: it is missing")) {
            try fields.required("b", try fields.number("b", in: 0...10))
        }
        #expect(throws: RequestError.self) { try fields.integer("d", in: 0...10) }
        #expect(try fields.integer("e", in: 0...10) == 3)
        #expect(try fields.percents("f") == [25, 50])
        for name in ["g", "h", "e"] { #expect(throws: RequestError.self) { try fields.percents(name) } }
        #expect(throws: RequestError.self) { try fields.flag("i") }
    }

    @Test(arguments: [
        ("1800000000", false, false), ("\"2027-01-15T08:00:00Z\"", false, false), ("1800003500", false, false),
        ("1800003700", true, true), ("1799996300", true, false), ("0", true, false),
    ])
    func timesAreTakenAndMarked(at: String, isFar: Bool, isAhead: Bool) throws {
        let moment = try #require(try Fields(Array("{\"at\":\(at)}".utf8)).moment(now: now))
        #expect(moment.isFar == isFar && moment.isAhead == isAhead)
    }

    @Test(arguments: [
        "-1", "1800090000", "\"tomorrow\"", "\"2027-02-30T00:00:00Z\"", "\"2099-01-01T00:00:00Z\"", "true", "{}",
    ])
    func timesThatCannotBeAreRefused(at: String) {
        #expect(why("{\"at\":\(at)}") { _ = try $0.moment(now: now) }?.hasPrefix("400 at: ") == true)
    }

    @Test func viewersAreIdsOrAddresses() throws {
        #expect(try Viewer.id(header: "a_Z-9", peer: "1.2.3.4") == "a_Z-9")
        #expect(try Viewer.id(header: nil, peer: "1.2.3.4") == "peer:1.2.3.4")
        for header in ["", "a b", "peer:1.2.3.4", "é", String(repeating: "a", count: 65)] {
            #expect(throws: RequestError.self) { try Viewer.id(header: header, peer: nil) }
        }
    }
}
