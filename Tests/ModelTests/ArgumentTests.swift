import Testing

@testable import Model

@Suite struct ArgumentTests {
    @Test func invalidUTF8IsAFile() {
        #expect(FileURL.text(ofArgument: Array("--fit".utf8)) == "--fit")
        #expect(FileURL.text(ofArgument: Array("صباح.mp4".utf8)) == "صباح.mp4")
        let path = Array("/caf".utf8) + [0xE9] + Array(".mp4".utf8)
        #expect(FileURL.text(ofArgument: path) == "file:///caf%E9.mp4")
        #expect(FileURL.path(of: FileURL.text(ofArgument: path)) == path)
        #expect(FileURL.path(of: FileURL.text(ofArgument: [0xE9])) == FileURL.absolute([0xE9]))
        #expect(FileURL.text(ofArgument: [0x2D, 0xE9]).hasPrefix("-"))
    }
}
