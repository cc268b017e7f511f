import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The script for bash, asked as bash asks it.
    @Suite struct CompletionTests {
        private let folder = TemporaryFolder()

        init() throws {
            try folder.write("Videos/a.mp4", [1])
            try folder.write("Vidal.mp4", [1])
            let script = try Command.run([FlickBinary.path, "--generate-completion-script", "bash"])
            #expect(script.status == 0 && script.errors.isEmpty)
            try folder.write("flick.bash", script.output.utf8)
        }

        /// What is offered for the last of these words, sorted.
        private func offered(_ words: String...) throws -> [String] {
            let ask = """
                cd "$1" && source ./flick.bash && shift
                COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
                bound=($(complete -p flick))
                "${bound[-2]}" flick "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            let result = try Command.run(["bash", "--norc", "-c", ask, "bash", folder.path, "flick"] + words)
            #expect(result.status == 0 && result.errors.isEmpty, "\(words) \(result)")
            return Set(result.output.split(separator: "\n").map(String.init)).sorted()
        }

        @Test func withoutASubcommandItIsBrowsed() throws {
            #expect(try offered("Vid") == ["Vidal.mp4", "Videos"])
            #expect(try offered("--mute", "Vid") == ["Vidal.mp4", "Videos"])
            #expect(try offered("Videos", "--shuf") == ["--shuffle"])
            #expect(try offered("--surface", "kit") == ["kitty"])
            #expect(try offered("--surface", "iterm") == ["iterm2"])
            #expect(try offered("--shuf") == ["--shuffle"])
            #expect(try offered("--vers") == ["--version"])
            let all = try offered("")
            #expect(["browse", "serve", "help", "Videos", "Vidal.mp4"].allSatisfy(all.contains))
        }

        @Test func subcommandsTakeWhatTheyRead() throws {
            #expect(try offered("pre") == ["preview"])
            #expect(try offered("add", "Vid") == ["Vidal.mp4", "Videos"])
            #expect(try offered("probe", "Videos/") == ["Videos/a.mp4"])
            #expect(try offered("browse", "--surface", "half") == ["half"])
            #expect(try offered("browse", "--log-level", "t") == ["trace"])
            #expect(try offered("browse", "--config", "Vid") == ["Vidal.mp4", "Videos"])
            #expect(try offered("browse", "--cache-dir", "Vid") == ["Videos"])
            #expect(try offered("cache", "ver") == ["verify"])
            #expect(try offered("serve", "Vid") == ["Videos"])
            #expect(try offered("serve", "--t") == ["--tls-cert", "--tls-key", "--token"])
            #expect(try offered("serve", "--tls-key", "Vidal") == ["Vidal.mp4"])
            #expect(try offered("help", "se") == ["serve"])
        }
    }
}
