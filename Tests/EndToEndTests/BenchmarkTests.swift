import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `flick-bench` never calls a figure met that it did not measure.
    @Suite struct BenchmarkTests {
        private let folder = TemporaryFolder()
        private static let bench = (FlickBinary.path as NSString).deletingLastPathComponent + "/flick-bench"

        private func run(_ arguments: [String], setting: [String: String] = [:]) throws -> Command.Result {
            try Command.run([Self.bench] + arguments, setting: setting)
        }

        /// A program that answers `--version` as flick does, and otherwise runs `script`.
        private func program(_ script: String) throws -> String {
            let path = try folder.write(
                "flick", "#!/bin/sh\n[ \"$1\" = --version ] && exec echo flick 1\n\(script)\n".utf8)
            chmod(path, 0o700)
            return path
        }

        @Test func helpIsNotMeasured() throws {
            let help = try run(["--help"])
            #expect(help.status == 0 && help.output.hasPrefix("usage: flick-bench FLICK ["))
            #expect(!help.output.contains("met"))
        }

        @Test(arguments: [[], ["--version"], [FlickBinary.path, "nothing"]])
        func wrongUsageIsRefused(arguments: [String]) throws {
            let result = try run(arguments)
            #expect(result.status >> 8 == 2 && result.output.isEmpty && result.errors.hasPrefix("usage: "))
        }

        @Test func programThatIsNotFlickIsRefused() throws {
            let result = try run(["/bin/echo", "preview"])
            #expect(result.status >> 8 == 3 && result.output.isEmpty)
            #expect(result.errors == "flick-bench: cannot measure /bin/echo: it does not print flick's version\n")
        }

        @Test func programWithoutPictureIsRefused() throws {
            let result = try run([try program("exec echo usage: flick"), "preview"])
            #expect(result.status >> 8 == 3 && result.output.isEmpty && result.errors.contains("no picture: "))
        }

        /// It shows pictures, but has no decoder beside it that could be measured.
        @Test func failedSectionIsNotMeasured() throws {
            let result = try run([try program("exec \(FlickBinary.path) \"$@\""), "decoders"])
            #expect(result.status >> 8 == 3)
            #expect(result.output.contains("\nNot measured:\n  the rest of decoders: "), "\(result.output)")
            #expect(!result.output.contains("All figures are met") && !result.output.contains(" met\n"))
        }

        /// `make soak` runs each command 5,000 times.
        @Test func failuresOfCommandsAreCountedAndTheirTimesNotMeasured() throws {
            let flick = try program("[ \"$1\" = probe ] && exit 1\nexec '\(FlickBinary.path)' \"$@\"")
            let result = try run([flick, "commands"], setting: ["FLICK_COMMAND_RUNS": "4"])
            #expect(result.status >> 8 == 3)
            let lines = result.output.split(separator: "\n")
            for load in ["idle machine", "both cores busy"] {
                let failed = lines.filter { $0.hasPrefix("  probe, \(load): ") }
                #expect(failed.contains { $0.contains(": failures ") && $0.hasSuffix("  NOT MET") }, "\(result.output)")
                #expect(failed.contains { $0.contains(": longest run ") && $0.contains("  NOT MEASURED: ") })
                let worked = lines.filter { $0.hasPrefix("  preview, \(load): ") }
                #expect(worked.contains { $0.contains(": failures ") && $0.hasSuffix("  met") }, "\(result.output)")
                #expect(worked.contains { $0.contains(": longest run ") && $0.contains("at most 1500") })
            }
        }
    }
}
