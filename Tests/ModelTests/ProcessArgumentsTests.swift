import Testing

@testable import Model

@Suite struct ProcessArgumentsTests {
    @Test func whatIsNoUTF8IsAFile() {
        #expect(ProcessArguments.text(of: Array("--fit".utf8)) == "--fit")
        #expect(ProcessArguments.text(of: Array("صباح.mp4".utf8)) == "صباح.mp4")
        let path = Array("/caf".utf8) + [0xE9] + Array(".mp4".utf8)
        #expect(ProcessArguments.text(of: path) == "file:///caf%E9.mp4")
        #expect(FileURL.path(of: ProcessArguments.text(of: path)) == path)
        #expect(FileURL.path(of: ProcessArguments.text(of: [0xE9])) == FileURL.absolute([0xE9]))
        #expect(ProcessArguments.text(of: [0x2D, 0xE9]).hasPrefix("-"))
    }
}
