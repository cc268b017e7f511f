import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `flick-bench` never calls a figure met that it did not measure.
    @Suite struct BenchmarkTests {
        private let folder = TemporaryFolder()
        private static let bench = (FlickBinary.path as NSString).deletingLastPathComponent + "/flick-bench"

        private func run(_ arguments: [String]) throws -> Command.Result { try Command.run([Self.bench] + arguments) }

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
    }
}
