import Testing
import Threads

@testable import App

@Suite struct LaunchTests {
    /// How a program ends that is started detached, or that it runs on.
    private func outcome(_ script: String, patience: Duration) throws -> Launch.Outcome? {
        let found = Monitor<Launch.Outcome?>(nil)
        try Launch.detached("sh", ["-c", script], patience: patience) { outcome in found.change { $0 = outcome } }
        return found.wait(upTo: .seconds(20)) { $0 }
    }

    @Test func endOfAProgramIsSeen() throws {
        #expect(try outcome("exit 0", patience: .seconds(10)) == .ended(0))
        #expect(try outcome("exit 3", patience: .seconds(10)) == .ended(3))
        #expect(try outcome("kill -9 $$", patience: .seconds(10)) == .ended(137))
    }

    @Test func programThatRunsOnCountsAsOpened() throws {
        let running = try outcome("sleep 5", patience: .milliseconds(50))
        #expect(running == .runs)
        #expect(Launch.failure(of: .runs, isLink: true) == nil)
    }

    @Test func failuresSayWhatIsMissing() {
        #expect(Launch.failure(of: .ended(0), isLink: true) == nil)
        #expect(Launch.failure(of: .ended(3), isLink: true) == "Couldn't open: no browser found")
        #expect(Launch.failure(of: .ended(3), isLink: false) == "Couldn't open: no app found")
        #expect(Launch.failure(of: .ended(4), isLink: true)?.hasSuffix("failed (status 4)") == true)
    }

    @Test func missingProgramIsNamed() {
        #expect(throws: AppError("no-such-opener is not installed")) {
            try Launch.detached("no-such-opener", []) { _ in }
        }
    }
}
