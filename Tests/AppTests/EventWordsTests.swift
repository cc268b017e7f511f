import Model
import Testing

@testable import App

@Suite struct EventWordsTests {
    @Test(arguments: [
        ("start", #"{"how":"cold","after":0.053109}"#, "opened on demand, 53 ms"),
        ("start", #"{"how":"pool","after":0.00067}"#, "opened ahead, 1 ms"),
        ("start", #"{"how":"resume","after":0}"#, "still open, 0 s"),
        ("start", #"{"how":"warm","after":9.94}"#, "opened ahead, 9.9 s"),
        ("start", #"{"how":"later","after":61}"#, "later, 1 min"),
        ("view", #"{"watched":2.049}"#, "2 s watched"),
        ("summary", #"{"watch_time":10,"replay_count":1}"#, "10 s watched, 1 replay"),
        ("milestone", #"{"percent":75}"#, "75 %"),
        ("skip", #"{"completion":0.1234}"#, "12 % watched"),
        (
            "summary",
            #"{"watch_time":192.5,"completion":0.5,"milestones":[25,50],"replay_count":2,"has_skipped":true,"buffer_duration":1.25}"#,
            "3 min watched, 50 % of the clip, 2 replays, skipped, 1.3 s stalled"
        ),
        (
            "summary",
            #"{"watch_time":0.4,"completion":0,"milestones":[],"replay_count":0,"has_skipped":false,"buffer_duration":0}"#,
            "400 ms watched, 0 % of the clip"
        ),
        ("impression", "", ""), ("later", #"{"a":1}"#, ""), ("start", "[", ""),
    ])
    func figuresAreWords(what: String, detail: String, words: String) {
        #expect(EventWords(what, detail).text == words)
    }

    @Test func timesOfDayAreLocalAndShort() {
        let now = 1_780_000_000.0
        let today = LocalMoment(now, now: now).text
        #expect(today.hasPrefix("today ") && today.split(separator: ":").last?.count == 2)
        #expect(LocalMoment(now - 86_400, now: now).text == "yesterday " + today.dropFirst("today ".count))
        #expect(LocalMoment(now - 10 * 86_400, now: now).text.hasPrefix("2026-05-1"))
    }

    @Test func minutesHaveTwoDigits() {
        let minutes = (0..<60).compactMap { minute in
            LocalMoment(1_779_998_400 + Double(minute) * 60, now: 0).text.split(separator: ":").last.map(String.init)
        }
        let wanted = (0..<60).map { $0 < 10 ? "0\($0)" : "\($0)" }
        #expect(minutes.sorted() == wanted)
    }
}
