import Foundation
import TestSupport
import Testing

@testable import App

/// Where flick keeps what it writes of a run.
@Suite struct ReportPathsTests {
    private let folder = TemporaryFolder()

    @Test func stateIsInItsFolder() {
        let report = ReportSettings(stateFolder: "/state")
        #expect(report.logPath == "/state/flick.log")
        #expect(report.libraryPath == "/state/flick.db" && report.memoryPath == "/state/page.json")
        let named = ReportSettings(log: "/var/x.log", stateFolder: "/state")
        #expect(named.logPath == "/var/x.log" && named.libraryPath == "/state/flick.db")
    }

    /// The working directory may change.
    @Test func relativeStateFolderBecomesAbsolute() {
        let here = FileManager.default.currentDirectoryPath
        #expect(ReportSettings(stateFolder: "state").libraryPath == here + "/state/flick.db")
    }

    @Test func firstRunEndsWithTheLog() throws {
        let report = ReportSettings(stateFolder: folder.path + "/state")
        #expect(report.isFirstRun)
        try report.logFile.open()
        #expect(!report.isFirstRun)
        // A log elsewhere counts in its place.
        #expect(ReportSettings(log: folder.path + "/x.log", stateFolder: folder.path + "/state").isFirstRun)
    }

    @Test func defaultLogIsLimited() throws {
        let report = ReportSettings(stateFolder: folder.path)
        report.logFile.append(String(repeating: "x", count: LogFile.most - 2) + "\n")
        report.logFile.append("y\n")
        #expect(!FileManager.default.fileExists(atPath: report.logPath + ".1"))
        report.logFile.append("z\n")
        #expect(try String(contentsOfFile: report.logPath, encoding: .utf8) == "z\n")
        #expect(FileManager.default.fileExists(atPath: report.logPath + ".1"))
    }
}
