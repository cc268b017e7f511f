import Model
import Platform
import Testing

@testable import App

@Suite struct TraceLines {
    @Test func aTraceLineHasTimeNameItemAndFieldsInOrder() {
        let event = TraceEvent.firstFrame(
            item: "v1", pts: .seconds(1.5), sincePage: .microseconds(38_250), how: .warm)
        let line = String(decoding: TraceFile.line(event, at: .microseconds(1_250_001)), as: UTF8.self)
        #expect(
            line == #"{"t":1.250001,"ev":"first_frame","item":"v1","pts":1.5,"since_page_ms":38.25,"how":"warm"}"#
                + "\n")
    }

    @Test func aTraceLineHasNoControlCharacters() {
        let event = TraceEvent.error(what: "play", why: "a\u{1B}[2J\n\"\\\u{9B}")
        let line = String(decoding: TraceFile.line(event, at: .zero), as: UTF8.self)
        #expect(line == #"{"t":0,"ev":"error","what":"play","why":"a\u001b[2J\n\"\\\u009b"}"# + "\n")
    }

    @Test(arguments: [
        (0.0, "0"), (-0.5, "-0.5"), (1.0000004, "1"), (0.000001, "0.000001"), (12.34, "12.34"), (.infinity, "null"),
        (.nan, "null"), (-1e-9, "0"),
    ])
    func numbersInTheTraceHaveNoExponents(number: Double, text: String) {
        #expect(JSONLine.decimal(number) == text)
    }
}

@Suite struct Installations {
    @Test func theDecoderAndTheDemoAreFoundBesideABuild() {
        let found: Set = ["/src/.build/debug/flick-decoder", "/src/Assets/demo/feed.json"]
        let installation = Installation(
            executable: "/src/.build/debug/flick", environment: { _ in nil }, exists: found.contains)
        #expect(installation.decoder == "/src/.build/debug/flick-decoder")
        #expect(installation.demo == "/src/Assets/demo")
    }

    @Test func theDecoderAndTheDemoAreFoundAfterAnInstallation() {
        let found: Set = ["/usr/bin/../libexec/flick/flick-decoder", "/usr/bin/../share/flick/demo/feed.json"]
        let installation = Installation(executable: "/usr/bin/flick", environment: { _ in nil }, exists: found.contains)
        #expect(installation.decoder == "/usr/bin/../libexec/flick/flick-decoder")
        #expect(installation.demo == "/usr/bin/../share/flick/demo")
    }

    @Test func theEnvironmentComesFirst() {
        let installation = Installation(
            executable: "/usr/bin/flick", environment: { ["FLICK_DECODER": "/x/decoder"][$0] }, exists: { _ in true })
        #expect(installation.decoder == "/x/decoder")
    }

    @Test func missingPartsAreNil() {
        let installation = Installation(executable: "/flick", environment: { _ in nil }, exists: { _ in false })
        #expect(installation == Installation(executable: "flick", environment: { _ in nil }, exists: { _ in false }))
        #expect(installation.decoder == nil && installation.demo == nil)
    }
}

@Suite struct BaseFolders {
    @Test(arguments: [
        (BaseFolder.state, ["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/flick"),
        (.state, ["XDG_STATE_HOME": "s", "HOME": "/h"], "/h/.local/state/flick"),
        (.state, ["HOME": "/h"], "/h/.local/state/flick"),
        (.cache, ["XDG_CACHE_HOME": "/c", "HOME": "/h"], "/c/flick"), (.cache, ["HOME": "/h"], "/h/.cache/flick"),
        (.config, ["XDG_CONFIG_HOME": "/c", "HOME": "/h"], "/c/flick"), (.config, ["HOME": "/h"], "/h/.config/flick"),
    ])
    func baseFoldersFollowTheXDGSpecification(kind: BaseFolder, variables: [String: String], folder: String) {
        #expect(kind.path(environment: { variables[$0] }) == folder)
    }

    @Test func withoutAHomeThereAreNoBaseFolders() {
        for kind in BaseFolder.allCases { #expect(kind.path(environment: { _ in nil }) == nil) }
    }
}

@Suite struct Inboxes {
    @Test func messagesComeInOrderWithOneWakeUp() throws {
        let inbox = try Inbox<Int>()
        inbox.post(1)
        inbox.post(2)
        inbox.wake()
        #expect(inbox.drain() == [1, 2])
        #expect(inbox.drain().isEmpty)
        inbox.post(3)
        #expect(inbox.drain() == [3])
    }
}
