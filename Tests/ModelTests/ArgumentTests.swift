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

    /// Those of the parser, those of flick, and what is no error.
    @Test(arguments: [
        (
            "Error: Unknown option '--colour'. Did you mean '--color'?\nUsage: flick",
            "flick: unknown option '--colour'; did you mean '--color'?\nUsage: flick"
        ),
        ("Error: Missing required subcommand.", "flick: missing required subcommand"),
        (
            "Error: The value 'x' is invalid for '--fit <fit>'. Please provide one of 'fill' or 'fit'.",
            "flick: the value 'x' is invalid for '--fit <fit>'; expected one of 'fill' or 'fit'"
        ),
        ("Error: --port must be from 0 to 65535", "flick: --port must be from 0 to 65535"),
        ("Error: URL is missing", "flick: URL is missing"),
        ("USAGE: flick", "USAGE: flick"),
    ])
    func usageErrorsHaveOneForm(of parser: String, text: String) {
        #expect(CleanText.usageError(parser) == text)
    }
}
