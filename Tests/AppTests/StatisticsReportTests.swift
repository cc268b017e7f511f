import Model
import Testing

@testable import App

@Suite struct StatisticsReportTests {
    private let statistics = Statistics(
        all: .init(name: "", watched: 4_000, visits: 12, completion: 0.5), clips: 7,
        days: [
            .init(date: "2026-10-01", watched: 9_000), .init(date: "2026-11-21", watched: 1_800),
            .init(date: "2026-11-22", watched: 45),
        ],
        creators: [
            .init(name: "Mira \u{1B}[31m", watched: 3_000, visits: 9, completion: 0.75),
            .init(name: "田中さくら", watched: 1_000, visits: 3, completion: 0.001),
        ], topics: [], skips: [1, 0, 4, 0, 0, 0, 0, 0])

    private func lines(columns: Int = 80, isASCII: Bool = false) -> [String] {
        StatisticsReport(columns: columns, isASCII: isASCII, today: "2026-11-22").text(statistics)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test func barsStandInColumns() {
        let lines = lines(columns: 40)
        #expect(lines[0] == "1 h 6 min watched, 12 visits to 7 clips, 50 % of a clip on average")
        // Of the last fourteen days, from the first one on which something was watched.
        #expect(lines[3] == "  2026-11-21  " + String(repeating: "█", count: 17) + " 30")
        #expect(lines[4] == "  2026-11-22  ▍ under 1")
        let mira = lines.first { $0.hasPrefix("  Mira") }
        #expect(mira == "  Mira \u{FFFD}      █████████ 75 %, 50 min")
        // Wide characters take two columns; a little is still seen.
        #expect(lines.contains("  田中さくら  ▏ 0 %, 16 min"))
        #expect(!lines.contains { $0.hasPrefix("Topics") })
        #expect(lines.contains("  20 to 30 %  ███████████████████████ 4"))
    }

    @Test func singleVisitIsInTheSingular() {
        let statistics = Statistics(
            all: .init(name: "", watched: 42, visits: 1, completion: 1), clips: 1, days: [], creators: [],
            topics: [.init(name: "cats", watched: 42, visits: 1, completion: 0.5)],
            skips: Array(repeating: 0, count: Statistics.skipTenths))
        // A bar is as long as the part that was played, also of the largest.
        #expect(
            StatisticsReport(columns: 40, isASCII: true, today: "2026-11-22").text(statistics) == """
                42 s watched, 1 visit to 1 clip, 100 % of a clip on average

                Topics, and how much of their clips was played
                  cats  \(String(repeating: "#", count: 10)) 50 %, 42 s

                """)
    }

    @Test func asciiStaysASCII() {
        let text = lines(isASCII: true).filter { !$0.contains("田") && !$0.contains("Mira") }
        #expect(text.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } } && text.contains { $0.contains("###") })
    }

    @Test func nothingAtAllIsSaid() {
        #expect(
            StatisticsReport(columns: 80, isASCII: false, today: "2026-11-22").text(.nothing) == "nothing watched\n"
        )
    }

    @Test func theObjectHasEverything() {
        let json = statistics.json.object
        #expect(
            json.hasPrefix(
                #"{"watch_time":4000,"visits":12,"completion":0.5,"clips":7,"days":[{"date":"2026-10-01","watch_time":9000},"#
            ))
        #expect(
            json.contains(#""topics":[],"skips":[{"from":0,"count":1},{"from":0.1,"count":0},{"from":0.2,"count":4}"#))
    }
}
