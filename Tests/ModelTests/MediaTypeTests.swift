import Testing

@testable import Model

@Suite struct MediaTypeTests {
    @Test(
        arguments: [
            ("Video/MP4; codecs=x", "video/mp4"), (" text/html ", "text/html"), ("mp4", nil), ("", nil),
            ("text/h tml", nil), (";charset=utf-8", nil),
        ] as [(String, String?)])
    func theNameIsReadWithoutParameters(value: String, name: String?) {
        #expect(MediaType(value)?.name == name)
    }

    @Test(
        arguments: [
            ("text/xml; charset=KOI8-R", "koi8-r"), ("text/xml;Charset=\"utf-8\"; x=1", "utf-8"),
            ("text/xml; boundary=a; charset='latin1'", "latin1"), ("text/xml", nil), ("text/xml; charset=", nil),
            ("text/xml; charset=a b", nil),
        ] as [(String, String?)])
    func theCharsetOfATextIsRead(value: String, charset: String?) {
        #expect(MediaType(value)?.charset == charset)
    }
}
