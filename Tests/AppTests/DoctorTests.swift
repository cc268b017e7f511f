import TestSupport
import Testing
import Wire

@testable import App

/// What `flick doctor` makes of what it finds.
@Suite struct DoctorTests {
    private let folder = TemporaryFolder()

    @Test func sandboxNamesWhatHoldsAndWhatDoesNot() {
        let (calls, paths) = ("system calls (seccomp)", "files and network (Landlock)")
        let limits = "memory and open files"
        #expect(
            Checkup.sandbox(.all)
                == Checkup(
                    subject: "sandbox", verdict: .good,
                    found: "decoders are sandboxed: \(calls), \(paths), \(limits)", advice: nil))
        let part = Checkup.sandbox([.limits, .calls])
        #expect(part.found == "decoders are sandboxed: \(calls), \(limits), but not \(paths)")
        #expect(part.verdict == .limited && part.advice?.contains("Landlock") == true)
        #expect(Checkup.sandbox([.paths]).found == "decoders are sandboxed: \(paths), but not \(calls), \(limits)")
        let none = Checkup.sandbox([])
        #expect(none.found == "decoders are not sandboxed: no limits on \(calls), \(paths), \(limits)")
        #expect(none.verdict == .limited)
    }

    @Test func networkIsUsableOrOnlyFilesPlay() {
        let good = Checkup(subject: "network", verdict: .good, found: "libcurl 8.5.0", advice: nil)
        #expect(Checkup.network(isUsable: true, found: "libcurl 8.5.0") == good)
        let old = Checkup.network(isUsable: false, found: "libcurl 7.81.0 is too old")
        #expect(old.verdict == .limited && old.found == "libcurl 7.81.0 is too old; only local files play")
        #expect(old.advice?.hasPrefix("install libcurl") == true)
    }

    @Test func decoderThatHasItsLibrariesIsBroken() {
        let checkup = Checkup.decoder(at: "/d", error: .silent, missing: [])
        #expect(checkup.verdict == .missing && checkup.advice == "reinstall flick")
        #expect(checkup.found == "/d does not start: \(WireError.silent)")
    }

    /// The file works; the note is shown beside it.
    @Test func noteIsNoMistake() throws {
        let path = try folder.write("config.toml", "[keys]\nlike = ['d']\n".utf8)
        #expect(
            Checkup.configuration(ConfigFile(path: path, mustExist: true, home: nil)) == [
                Checkup(subject: "configuration", verdict: .good, found: path, advice: nil),
                Checkup(
                    subject: "configuration", verdict: .good, found: "\(path) line 2: dislike has no key",
                    advice: "bind one: dislike = [\"...\"]"),
            ])
        #expect(Checkup.configuration(nil).map(\.verdict) == [.good])
    }

    @Test func marksDifferInShapeAndColor() {
        let verdicts = [Checkup.Verdict.good, .limited, .missing]
        #expect(verdicts.map { $0.mark(inColor: false) } == ["✓", "~", "✗"])
        #expect(
            verdicts.map { $0.mark(inColor: true) } == [
                "\u{1B}[32m✓\u{1B}[0m", "\u{1B}[33m~\u{1B}[0m", "\u{1B}[31m✗\u{1B}[0m",
            ])
    }
}
