import Bytes
import Foundation
import TestSupport
import Testing

@testable import Feeds

/// Writes down what a document has.
struct MarkupRecorder: MarkupHandler {
    var text = ""
    var begun = 0
    var deepest = 0
    var longest = 0
    var attributes = 0
    var names: Set<String> = []
    var isDone = false
    private var depth = 0

    mutating func begin(_ element: MarkupElement) {
        begun += 1
        names.insert(element.name)
        depth += 1
        deepest = max(deepest, depth)
        attributes = max(attributes, element.attributes.count)
        guard begun < 1_000 else { return }
        let space = element.namespace.isEmpty ? "" : "{\(element.namespace)}"
        text += "<\(space)\(element.name)"
        for attribute in element.attributes {
            text +=
                " \(attribute.namespace.isEmpty ? "" : "{\(attribute.namespace)}")\(attribute.name)=\(attribute.value)"
        }
        text += ">"
    }

    mutating func text(_ text: String) {
        longest = max(longest, text.utf8.count)
        if longest < 100_000 { self.text += text }
    }

    mutating func end(namespace: String, name: String) {
        depth -= 1
        if begun < 1_000 { text += "</\(name)>" }
    }
}

func recorded(
    _ bytes: [UInt8], kind: MarkupParser.Kind = .xml, charset: String? = nil, piece: Int = 1 << 16
) throws -> MarkupRecorder {
    var recorder = MarkupRecorder()
    try MarkupParser.parse(stream(bytes, piece: piece), kind: kind, charset: charset, into: &recorder)
    return recorder
}

@Suite struct MarkupParserTests {
    private static let documents: [(String, String)] = [
        ("<a><b c='1'>x</b>y</a>", "<a><b c=1>x</b>y</a>"),
        ("<?xml version='1.0'?>\n<!-- <b> --><a/><!-- --- -->", "<a></a>"),
        // Text before and after the document.
        ("\u{FEFF}  \n junk & <?xml version=\"1.0\"><a>x</a> junk <", "<a>x</a>"), ("<a>x</a><b/>", "<a>x</a><b></b>"),
        ("", ""), ("no markup at all", ""), ("<", ""), ("<a", ""), ("&", ""),
        // Ampersands and references
        ("<a b='?a=1&b=2&copy=1&amp;c=3'>x & y&z; AT&T &</a>", "<a b=?a=1&b=2&copy=1&c=3>x & y&z; AT&T &</a>"),
        ("<a b='&eacute;&quot;&#34;&#x3c;'>&eacute;&hellip;&#146;&#x92;&#233;&#x1F305;</a>", "<a b=é\"\"<>é…’’é🌅</a>"),
        ("<a>&lt;b&gt;&amp;amp;&apos;&#60;&#38;&#62;</a>", "<a><b>&amp;'<&></a>"),
        ("<a>&#0;&#1;&#xD800;&#x110000;&#99999999999;&#xFFFE;|&#;&#x;&#65x</a>", "<a>|&#;&#x;Ax</a>"),
        (
            "<a>&doesnotexist;&toolongforanynameofanentitythatthereisinhtml;</a>",
            "<a>&doesnotexist;&toolongforanynameofanentitythatthereisinhtml;</a>"
        ),
        // Characters that XML does not allow
        ("<a>b\u{0}\u{1}\u{8}\u{B}\u{C}\u{1F}c\td\u{FFFE}\u{FFFF}\u{FF01}\u{7F}</a>", "<a>bc\td\u{FF01}\u{7F}</a>"),
        ("<a b='x\u{1}\u{FFFE}y'/>", "<a b=xy></a>"), ("<a>x ]]> y ]] > z]]></a>", "<a>x ]]> y ]] > z]]></a>"),
        // CDATA
        ("<a>1<![CDATA[<b>&amp;]] > ]]]>2<![CDATA[]]>3</a>", "<a>1<b>&amp;]] > ]23</a>"),
        ("<a><![CDATA[x\u{1}<![CDATA[y]]> ]]></a>", "<a>x<![CDATA[y ]]></a>"), ("<a><![CDATA[<b>&", "<a><b>&</a>"),
        ("<a><![CDAT", "<a></a>"),
        // Document types
        ("<!DOCTYPE a PUBLIC '-//X//DTD' \"http://site.invalid/x.dtd\"><a>x</a>", "<a>x</a>"),
        ("<!DOCTYPE a [<!ENTITY x 'boo>]'><!-- ' ]> --><?p ' ?><!ELEMENT a ANY>] ><a>&x;</a>", "<a>&x;</a>"),
        (
            "<!DOCTYPE a SYSTEM 'file:///etc/passwd' [<!ENTITY e SYSTEM 'file:///etc/passwd'> %e;]><a>&e;%e;</a>",
            "<a>&e;%e;</a>"
        ),
        // Invalid tags, and tags without an end tag
        ("<a>1 < 2 <3 <> </> << <é>x</é></a>", "<a>1 < 2 <3 <>  << <é>x</a>"),
        ("<a><b>x<c>y</a>", "<a><b>x<c>y</c></b></a>"),
        ("<a><b><i>x</b>y</i>z</a>w</a>", "<a><b><i>x</i></b>yz</a>"), ("<A>x</a><b>", "<A>x</A><b></b>"),
        ("<a>x<br>y<hr><img src='i'></img>z</a>", "<a>x<br></br>y<hr></hr><img src=i></img>z</a>"),
        ("<a><title<b>x</b></a>", "<a><title><b>x</b></title></a>"), ("<a>x</a", "<a>x</a>"),
        // Attributes
        ("<a b=1 c='2'd=\"3\" e f = g/>x", "<a b=1 c=2 d=3 e= f=g></a>"),
        ("<a b=http://h/x/>y</a>", "<a b=http://h/x></a>"),
        ("<a b='x>y<z' \"stray\" ='1'/>", "<a b=x>y<z stray= _=></a>"), ("<a b='1' b='2'/>", "<a b=1 b=2></a>"),
        ("<a / b='1'></a>", "<a b=1></a>"), ("<a b='1\n2'/>", "<a b=1 2></a>"),
        // Names
        ("<a:b:c é='3' 1x='2' d:='4' />", "<{a}b_c __=3 _x=2 d_=4></b_c>"),
        // Namespaces
        (
            "<x:a xmlns:x='http://h/' x:b='1' y:c='2' xml:lang='de'/>",
            "<{http://h/}a {http://h/}b=1 {y}c=2 {http://www.w3.org/XML/1998/namespace}lang=de></a>"
        ),
        ("<a xmlns='http://h/'><b/><media:c/></a>", "<{http://h/}a><{http://h/}b></b><{media}c></c></a>"),
        ("<a xmlns='' xmlns:x=''><x:b/></a>", "<a><{x}b></b></a>"),
    ]

    @Test(arguments: documents) func documentsAreReadAsFarAsTheyCanBe(document: String, expected: String) throws {
        for piece in [1 << 16, 1, 2, 7] {
            #expect(
                try recorded(Array(document.utf8), piece: piece).text == expected, "\(document) in pieces of \(piece)")
        }
    }

    @Test(arguments: [
        ("<p>a<br>b<p>c &amp; d&eacute; &", "<html><body><p>a<br></br>b</p><p>c & dé &</p></body></html>"),
        (
            "<HTML><head><LINK rel=alternate href='f.xml?a=1&b=2'><script>if (a < b) '</x>'</script>",
            "<html><head><link rel=alternate href=f.xml?a=1&b=2></link><script>if (a < b) '</x>'</script></head></html>"
        ),
    ])
    func htmlIsRead(document: String, expected: String) throws {
        #expect(try recorded(Array(document.utf8), kind: .html).text == expected)
        _ = try recorded(Array(document.utf8), kind: .html, piece: 1)
    }

    @Test func aHandlerThatIsDoneHearsNoMore() throws {
        struct First: MarkupHandler {
            var names: [String] = []
            var isDone: Bool { !names.isEmpty }
            mutating func begin(_ element: MarkupElement) { names.append(element.name) }
            mutating func text(_ text: String) {}
            mutating func end(namespace: String, name: String) {}
        }
        var first = First()
        let stream = ByteStream("file:///m/x", limit: .max) { offset, buffer in
            #expect(offset < 1 << 20, "it reads on")
            buffer.copyBytes(from: "<a/>".utf8)
            return 4
        }
        try MarkupParser.parse(stream, kind: .xml, charset: nil, into: &first)
        #expect(first.names == ["a"])
    }

    // MARK: Hostile documents

    @Test func declaredEntitiesAreIgnored() throws {
        var bomb = "<!DOCTYPE a [<!ENTITY x0 'boom'>"
        for level in 1..<40 { bomb += "<!ENTITY x\(level) '&x\(level - 1);&x\(level - 1);'>" }
        let read = try recorded(Array((bomb + "]><a b='&x39;'>&x39;</a>").utf8))
        #expect(read.text == "<a b=&x39;>&x39;</a>")
    }

    @Test func textOutsideTheDocumentIsIgnored() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("flick-outside-\(UUID().uuidString)")
        try Data("kept apart".utf8).write(to: file)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
        let url = file.absoluteString
        for document in [
            "<!DOCTYPE a [<!ENTITY e SYSTEM '\(url)'>]><a>&e;</a>",
            "<!DOCTYPE a [<!ENTITY % e SYSTEM '\(url)'>%e;]><a>&x;</a>", "<!DOCTYPE a SYSTEM '\(url)'><a>&x;</a>",
            "<a xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='\(url)' parse='text'/></a>",
            "<?xml-stylesheet href='\(url)'?><a xml:base='\(url)'/>",
        ] {
            for kind in [MarkupParser.Kind.xml, .html] {
                #expect(!(try recorded(Array(document.utf8), kind: kind).text.contains("kept apart")))
            }
        }
    }

    @Test func tooDeepElementsAreDropped() throws {
        let open = String(repeating: "<a>", count: 30_000)
        #expect(try recorded(Array((open + "x</a>" + "<b>y").utf8)).deepest == OpenElements.depthLimit)
        #expect(throws: MarkupParser.ParseError.self) {
            try recorded(Array(open.replacing("a", with: "div").utf8), kind: .html)
        }
        // Unclosed elements do not swallow what follows the elements around them.
        let read = try recorded(Array("<r><d>\(String(repeating: "<p>x", count: 1_000))</d><e>y</e></r>".utf8))
        #expect(read.text.hasSuffix("</d><e>y</e></r>"))
    }

    @Test func longTextsTagsAndNamesAreCut() throws {
        let long = String(repeating: "é", count: MarkupParser.textLimit)
        let read = try recorded(Array("<a>\(long)</a><b c='1'/>".utf8))
        #expect(read.longest == MarkupParser.textLimit && read.begun == 2)
        // A tag beyond the limit is as if it were not there, wherever it ends.
        let tag = try recorded(Array("<a><b c='\(long)'>x</b><d/></a>".utf8))
        #expect(tag.text == "<a>x<d></d></a>")
        let names = (0..<1_000).map { " a\($0)='\($0)'" }.joined()
        #expect(try recorded(Array("<a\(names)>".utf8)).attributes == OpenElements.attributeLimit)
        let name = String(repeating: "n", count: 1_000)
        #expect(try recorded(Array("<\(name)>x</\(name)><b/>".utf8)).text.hasSuffix("x</\(name.prefix(200))><b></b>"))
    }

    @Test func manyNamesAreNotQuadratic() throws {
        let tags = (0..<40_000).map { "<n\($0)/>" }.joined()
        let start = ContinuousClock.now
        let read = try recorded(Array("<a>\(tags)<n1/><b c='1'/></a>".utf8))
        #expect(read.begun == 40_003)
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(read.names.count == OpenElements.distinctLimit + 1 && read.names.isSuperset(of: ["a", "n1", "other"]))
    }

    @Test func manyNamespacesAreNotQuadratic() throws {
        let declared = (0..<60).map { " xmlns:n\($0)='u\($0)'" }.joined()
        let document =
            String(repeating: "<a\(declared)>", count: 100) + String(repeating: "<zz:b zz:c='1'/>", count: 30_000)
        let start = ContinuousClock.now
        #expect(try recorded(Array(document.utf8)).begun == 30_100)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    /// However it is damaged: an end, balanced elements, and the same in pieces of any size.
    @Test func damagedDocumentsAreReadTheSameInAnyPieces() throws {
        var random = SeededRandom(state: 12)
        let whole = Array(Self.documents.map(\.0).joined(separator: "\n").utf8)
        // Ends whatever is open, so that what is behind it is an element: nothing makes libxml2 give up.
        let end = Array("-->]]>?>\"'>]>'>]>\"><last></last>".utf8)
        for round in 0..<400 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                guard let place = bytes.indices.randomElement(using: &random) else { break }
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = .random(in: 0...255, using: &random)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + .random(in: 1..<40, using: &random)))
                default: bytes.insert(contentsOf: "<>&\"'=/![]-?".utf8.shuffled(using: &random).prefix(3), at: place)
                }
            }
            bytes += end
            let read = try recorded(bytes)
            let expected = read.text
            try #require(read.names.contains("last"), "\(String(decoding: bytes, as: UTF8.self))")
            for piece in [1, 7, 64] where round % 4 == piece % 4 {
                try #require(
                    try recorded(bytes, piece: piece).text == expected, "\(String(decoding: bytes, as: UTF8.self))")
            }
            if round % 4 == 0 { _ = try recorded(bytes, kind: .html) }
        }
    }
}
