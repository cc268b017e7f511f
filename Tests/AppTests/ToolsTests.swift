import Foundation
import TestSupport
import Testing

@testable import App
@testable import Feeds
@testable import Wire

@Suite struct ToolsTests {
    /// 2026-11-23.
    private let today = 1_795_392_000.0

    private func found(_ version: String) -> Checkup {
        .ytDLP(path: "/bin/yt-dlp", version: .success(version), today: today)
    }

    @Test(arguments: [
        ("2026.11.23", "released today", true), ("2026.11.22", "1 day old", true),
        ("2026.10.01.232812", "53 days old", true),
        ("2026.08.11", "3 months old", false), ("2023.03.04", "3 years old", false),
    ])
    func reportsTheAgeOfYTDLP(version: String, age: String, isGood: Bool) {
        let checkup = found(version)
        #expect(checkup.found == "/bin/yt-dlp, \(version), \(age)")
        #expect(checkup.verdict == (isGood ? .good : .limited))
        #expect(checkup.advice == (isGood ? nil : "update yt-dlp; sites change often and break old versions"))
    }

    @Test func aVersionThatIsNoDateHasNoAge() {
        for version in ["1.2", "2026.13.01", "2027.01.01", "stable", "99999999999999999999.1.1"] {
            #expect(found(version).found == "/bin/yt-dlp, \(version)" && found(version).verdict == .good)
        }
    }

    @Test func reportsMissingAndBrokenYTDLP() throws {
        let none = Checkup.ytDLP(YTDLP(named: "/nowhere/yt-dlp"), today: today)
        #expect(
            none.verdict == .limited && none.found.hasPrefix("not installed") && none.advice?.contains("yt_dlp") == true
        )
        let folder = TemporaryFolder()
        for (script, said) in [
            ("echo 2026.11.01", "2026.11.01, 22 days old"), ("exit 1", "does not work: invalid output"),
            ("echo no python >&2; exit 127", "does not work: no python"),
            ("sleep 100", "does not work: no output for 2 s"),
        ] {
            let path = try folder.script(UUID().uuidString, script)
            let checkup = Checkup.YTDLPCheck(YTDLP(named: path)).checkup
            let expected = said.hasPrefix("does") ? "\(path) \(said)" : "\(path), \(said)"
            // The check itself asks for today.
            if said.hasPrefix("does") { #expect(checkup?.found == expected) }
            #expect(checkup?.found.hasPrefix(path) == true)
            if !said.hasPrefix("does") { #expect(Checkup.ytDLP(YTDLP(named: path), today: today).found == expected) }
        }
    }

    @Test func doctorNamesTheLibrariesThatADecoderLacks() throws {
        let folder = TemporaryFolder()
        // A program whose C library has a name that no library has.
        let path = folder.path + "/decoder"
        let made = try Command.run(
            ["sh", "-c", #"sed 's/libc\.so\.6/libq.so.6/g' /bin/sh > "$1" && chmod 755 "$1""#, "sh", path])
        #expect(made.status == 0)
        #expect(Checkup.missingLibraries(of: path) == ["libq.so.6"])
        #expect(Checkup.missingLibraries(of: "/bin/sh").isEmpty)

        let missing = ["libavformat.so.59", "libswscale.so.6"]
        let checkup = Checkup.decoder(at: path, error: .ended(status: 127 << 8), missing: missing)
        #expect(checkup.verdict == .missing)
        #expect(checkup.found == "\(path) does not start: libavformat.so.59, libswscale.so.6 not found")
        #expect(checkup.advice?.hasSuffix("packages are libavformat59 libswscale6") == true)
    }

    @Test func theConfigurationNamesIt() {
        func tool(_ text: String) -> String {
            var reader = ConfigReader(Array(text.utf8))
            reader.resolve(ConfigPaths(folder: "/conf", home: "/home/me"))
            return reader.configuration.tools.ytDLP
        }
        #expect(tool("") == "yt-dlp")
        #expect(tool("[tools]\nyt_dlp = \"\"") == "")
        #expect(tool("[tools]\nyt_dlp = \"yt-dlp-nightly\"") == "yt-dlp-nightly")
        #expect(tool("[tools]\nyt_dlp = \"~/bin/yt-dlp\"") == "/home/me/bin/yt-dlp")
        #expect(tool("[tools]\nyt_dlp = \"bin/yt-dlp\"") == "/conf/bin/yt-dlp")
    }
}
