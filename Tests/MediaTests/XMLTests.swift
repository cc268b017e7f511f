import Testing

@testable import Media

@Suite struct XMLTests {
    private func events(_ text: String) -> [XMLReader.Event] {
        var reader = XMLReader(Array(text.utf8))
        var events: [XMLReader.Event] = []
        while let event = reader.next() { events.append(event) }
        return events
    }

    @Test func elementsAttributesAndTextsAreParsed() {
        let text = """
            \u{FEFF}<?xml version="1.0"?><!-- <no> -- --><m:a x = 'one "1"' n:y="&lt;2&#x41;&#66;&amp;"><b/>t&gt;u<![CDATA[<&amp;>]]></m:a>
            """
        #expect(
            events(text).drop { $0 == .text("\u{FEFF}") } == [
                .start(
                    name: "a", attributes: [.init(name: "x", value: "one \"1\""), .init(name: "y", value: "<2AB&")]),
                .start(name: "b", attributes: []), .end(name: "b"), .text("t>u"), .text("<&amp;>"), .end(name: "a"),
            ])
    }

    @Test(arguments: [
        "", "<", "<a", "<a x", "<a x=", "<a x=1>", "<a x=\"", "<a>", "<a></b>", "<a><b></a></b>", "<!DOCTYPE a><a/>",
        "</a>",
        "<!--", "<a><![CDATA[</a>", "<?", "<a/", "<a></", "<>", "<a <b/></a>", "text",
    ])
    func incompleteDocumentsAreRefused(text: String) {
        #expect(XMLElement(document: Array(text.utf8)) == nil)
    }

    @Test(arguments: ["&;", "&#0;", "&#xD800;", "&#99999999999;", "&nothing;", "&", "&#-1;", "&#x;", "&amp"])
    func unknownReferencesStayUnchanged(text: String) throws {
        #expect(try #require(XMLElement(document: Array("<a>\(text)</a>".utf8))).text == text)
    }

    @Test func depthAndNumberHaveLimits() {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)).utf8)
        }
        #expect(XMLElement(document: nested(XMLElement.deepest)) != nil)
        #expect(XMLElement(document: nested(XMLElement.deepest + 1)) == nil)
        #expect(XMLElement(document: nested(200_000)) == nil)
        let many = "<a>" + String(repeating: "<b/>", count: XMLElement.maxElements) + "</a>"
        #expect(XMLElement(document: Array(many.utf8)) == nil)
        let attributes = (0..<100).map { " x\($0)=''" }.joined()
        #expect(XMLElement(document: Array("<a\(attributes)/>".utf8))?.attributes.count == XMLReader.maxAttributes)
    }

    @Test func innerElementsOverrideOuterOnes() throws {
        let inner = try #require(XMLElement(document: Array("<t a='1'><x v='in'/></t>".utf8)))
        let outer = try #require(XMLElement(document: Array("<t a='2' b='3'><x v='out'/><y/></t>".utf8)))
        let both = inner.inheriting(outer)
        #expect(both["a"] == "1" && both["b"] == "3")
        #expect(both.children("x").map { $0["v"] } == ["in"] && both.child("y") != nil)
    }
}
