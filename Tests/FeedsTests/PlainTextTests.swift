import Model
import TestSupport
import Testing

@testable import Feeds

/// HTML as text.
@Suite struct PlainTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a\n b\t c\r\n", "a b c"),
        // Lines.
        ("<p>one</p><p>two</p>", "one\n\ntwo"), ("one<br>two<br/>three<BR />four", "one\ntwo\nthree\nfour"),
        ("a<br><br><br>b", "a\n\nb"), ("<div>a</div><div>b</div>", "a\nb"), ("<h1>T</h1>text", "T\n\ntext"),
        ("x<ul><li>a</li><li>b</ul>y", "x\n\n• a\n• b\n\ny"), ("<li></li><li>b", "• b"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c", "a b\nc"), ("<pre>a\n  b</pre>c\nd", "a\nb\n\nc d"),
        ("<p>&nbsp;</p>a<p> </p>", "a"),
        // Links and other marks leave their texts.
        (
            "<p>Hi <span class=\"h-card\"><a href=\"https://m.example/@a\">@<span>a</span></a></span><br />bye</p>",
            "Hi @a\nbye"
        ),
        ("<a href=\"https://h.example/?a>b\">link</a> text", "link text"), ("<a title = 'x>y' b>z</a>", "z"),
        ("<a b' c=\"d\">z</a> 'e'", "z 'e'"), ("<b\n>x</b\t>y<img src=x alt=\"no\">", "xy"),
        // Addresses that a text does not name stand at its end.
        (
            "<p>See <a href=\"https://a.example/x?y=1&amp;z=2\">the  site</a>, "
                + "or <A class=b HREF='http://b.example/'>b</A>.",
            "See the site, or b.\n\nthe site: https://a.example/x?y=1&z=2\nb: http://b.example/"
        ),
        ("<a href=https://a.example/>https://a.example/</a>", "https://a.example/"),
        ("<a href=\"https://a.example/#t\">#t</a><a href=\"https://a.example/\"><img src=x></a>", "#t"),
        (
            "<a href=\"https://a.example/\">a</a> <a href=\"https://a.example/\">again</a> <a href=/x>b</a>",
            "a again b\n\na: https://a.example/"
        ),
        ("<a data-href=\"https://a.example/\">a</a><a href=\"javascript:x\">b</a>", "ab"),
        // Content that is not text.
        ("<script>var a = '<p>' < 3</script>b", "b"), ("<SCRIPT type=x>a</scripts></Script >b", "b"),
        ("a<style>p { }</style>b<iframe src=x>no</iframe>c", "abc"), ("a<script>b", "a"),
        ("a<!-- <b> -- > -> -->b", "ab"), ("<!-->a", "a"), ("<!--->a", "a"), ("a<!-- <!-- --> b", "a b"),
        ("<?xml version='1.0'?><!DOCTYPE html>a</>b", "ab"),
        // Text that only looks like a tag.
        ("1 < 2 && 3 > 2", "1 < 2 && 3 > 2"), ("I <3 you", "I <3 you"), ("<>a", "<>a"), ("<<p>>", "<\n\n>"),
        // Truncated markup.
        ("a <b", "a"), ("a</p", "a"), ("a<a href=\"x", "a"), ("a<!-- b", "a"), ("a<", "a<"), ("a&", "a&"),
        // References.
        ("a & b &amp; c &lt;d&gt; &eacute;&#233;&#xE9;&#Xe9;", "a & b & c <d> éééé"), ("&nbsp;a&nbsp;&nbsp;b", "a b"),
        ("&#146;&#x97;&hellip;", "’—…"), ("&unknown; &amp &ampx &Eacute; &EACUTE;", "&unknown; & &ampx É &EACUTE;"),
        ("&#0;&#xD800;&#x110000;&#99999999999;&#27;a", "a"), ("&#;&#x;", "&#;&#x;"), ("&#x1F305;&#127749", "🌅🌅"),
        ("&lt;script&gt; &amp;lt;", "<script> &lt;"),
    ])
    func htmlIsReadAsLines(html: String, text: String) { #expect(PlainText.block(html, limit: 1_000) == text) }

    @Test(arguments: [
        ("a<br>b", "a b"), ("<p>a</p>\n<p>b</p>", "a b"), ("<li>a</li>", "a"), ("A&amp;B <i>c</i>", "A&B c"),
        ("<script>x</script>y", "y"),
        // Titles speak of tags, too.
        ("x <b", "x <b"), ("How <script> works", "How works"), ("what <?", "what <?"), ("a </ b", "a </ b"),
    ])
    func titlesAreOneLine(html: String, text: String) { #expect(PlainText.line(html, limit: 1_000) == text) }

    @Test func outputEndsAtTheLimit() {
        #expect(PlainText.block("ééééé", limit: 4) == "éééé")
        #expect(PlainText.block("a<p>b", limit: 3) == "a\n\n" && PlainText.block("a", limit: 0) == "")
        for limit in 0..<12 {
            for html in ["<ul><li>a<li>b</ul>c", "é<br>é &hellip;&#x1F305;"] {
                #expect(PlainText.block(html, limit: limit).unicodeScalars.count <= limit)
                #expect(PlainText.line(html, limit: limit).unicodeScalars.count <= limit)
            }
        }
    }

    /// Half an address would lead elsewhere.
    @Test func addressesThatHaveNoRoomAreLeftOut() {
        let html = "<a href=\"https://a.example/\">abc</a> <a href=\"https://b.example/\">d</a>"
        #expect(PlainText.block(html, limit: 50) == "abc d\n\nabc: https://a.example/")
        #expect(PlainText.block(html, limit: 20) == "abc d")
    }

    /// Twice as much must not take four times as long: of 100 KB that would be minutes.
    @Test(arguments: [
        "<", "<a", "</", "<!", "<!--", "<!-- >", "<!-- --", "-", "&", "&#", "&#x", "&amp", "<a href=\"", "<a b='",
        "<a =\">",
        "<script>", "<script></", "<title><style>", "</script", "<p>", "<li>", "<br>a", "<![CDATA[", "\u{A0}", "a ",
        "é",
    ])
    func hostileHTMLTakesNoLonger(part: String) {
        let html = String(repeating: part, count: 100_000 / part.utf8.count)
        let time = ContinuousClock().measure {
            #expect(PlainText.block(html, limit: 1 << 20).utf8.count <= html.utf8.count * 2)
            #expect(PlainText.line(html + ">", limit: 1 << 20).utf8.count <= html.utf8.count * 2)
        }
        #expect(time < .seconds(20))
    }

    @Test func randomHTMLIsRead() {
        var random = SeededRandom(state: 12)
        let parts = [
            "<", ">", "</", "<p", "<a href=", "\"", "'", "<!--", "-->", "<script>", "</script>", "&", ";", "&#", "x41",
            "amp", "é", "🌅", " ", "\n", "=", "/", "<li>", "<br>", "<pre>", "a",
        ]
        for _ in 0..<3_000 {
            let html = (0..<Int.random(in: 0..<20, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }
            .joined()
            let limit = Int.random(in: 0..<30, using: &random)
            for text in [PlainText.block(html, limit: limit), PlainText.line(html, limit: limit)] {
                #expect(text.unicodeScalars.count <= limit && !text.contains("\n\n\n") && text.first != " ", "\(html)")
            }
            #expect(!PlainText.line(html, limit: limit).contains("\n"))
        }
    }

    /// The last of each run of names: if one were missing before it, it would be another character.
    @Test(arguments: [
        ("gt", ">"), ("apos", "'"), ("sup3", "³"), ("iquest", "¿"), ("Iuml", "Ï"), ("szlig", "ß"), ("iuml", "ï"),
        ("yuml", "ÿ"), ("Yuml", "Ÿ"), ("tilde", "˜"), ("Rho", "Ρ"), ("Omega", "Ω"), ("rho", "ρ"), ("omega", "ω"),
        ("upsih", "ϒ"), ("piv", "ϖ"), ("rlm", "\u{200F}"), ("mdash", "—"), ("sbquo", "‚"), ("bdquo", "„"),
        ("bull", "•"),
        ("permil", "‰"), ("Prime", "″"), ("rsaquo", "›"), ("euro", "€"), ("alefsym", "ℵ"), ("harr", "↔"), ("hArr", "⇔"),
        ("exist", "∃"), ("notin", "∉"), ("minus", "−"), ("infin", "∞"), ("int", "∫"), ("equiv", "≡"), ("ge", "≥"),
        ("nsub", "⊄"), ("supe", "⊇"), ("otimes", "⊗"), ("perp", "⊥"), ("rfloor", "⌋"), ("loz", "◊"), ("spades", "♠"),
        ("clubs", "♣"), ("diams", "♦"), ("rang", "⟩"),
    ])
    func namesAreKnown(name: String, text: String) { #expect(HTMLEntity.text(name) == text) }
}
