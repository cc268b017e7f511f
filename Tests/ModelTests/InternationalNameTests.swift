import Testing

@testable import Model

@Suite struct InternationalNameTests {
    /// The labels are those of Python's codec `punycode`.
    @Test(arguments: [
        ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
        ("www.faß.de", "www.xn--fa-hia.de"), ("москва.рф", "xn--80adxhks.xn--p1ai"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"), ("ελληνικά.gr", "xn--hxargifdar.gr"),
        ("中国互联网络信息中心.cn", "xn--fiqa61au8b7zsevnm8ak20mc4a87e.cn"), ("a-ü.example", "xn--a--yka.example"),
    ])
    func namesBecomeThoseOfNameServers(name: String, ascii: String) throws {
        let url = try #require(RemoteURL("https://\(name):8080/a"))
        #expect(url.origin == Origin(scheme: .https, host: ascii, port: 8080))
        // References are percent-encoded as a whole.
        let resolved = try #require(URLParts.resolve("//\(name):8080/a", against: "https://feed.example/"))
        #expect(RemoteURL(resolved) == url)
        #expect(url.text == "https://\(ascii):8080/a")
    }

    @Test(arguments: [
        // Wide and encircled digits and letters, which other programs take for 127.0.0.1 and localhost.
        "\u{2113}ocalhost", "localho\u{17F}t", "\u{1D7CF}27.0.0.1", "o\u{FB01}ce.example", "\u{AA}.example",
        "%31%32%37.0.0.1", "%C3.example", "%", "\u{FF11}\u{FF12}\u{FF17}.0.0.1", "\u{2460}\u{2461}\u{2466}.0.0.1",
        "\u{24DB}ocalhost", "\u{FF4C}ocalhost",
        "a\u{200B}ü.example", "ü\u{2044}a.example", "ü b.example", "ü\u{0}.example", "\u{1F600}.example",
        String(repeating: "ü", count: 64) + ".example",
    ])
    func otherCharactersAreRefused(name: String) { #expect(RemoteURL("http://\(name)/") == nil) }

    @Test func otherDotsLeadToTheSameAddress() throws {
        let url = try #require(RemoteURL("http://127\u{3002}0\u{FF0E}0\u{FF61}1/"))
        #expect(HostKind(url.origin.host) == .loopback)
    }
}
