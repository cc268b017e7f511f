import Feeds
import Model
import Platform
import Threads

/// Programs that flick can use, and does not need.
extension Checkup {
    /// Asks yt-dlp for its version on a separate thread, while other checks run.
    final class YTDLPCheck: Sendable {
        private let found = Monitor<Checkup?>(nil)

        init(_ program: YTDLP) {
            BlockingThread.start { [found] in
                let checkup = Checkup.ytDLP(program, today: WallClock.now)
                found.change { $0 = checkup }
            }
        }

        /// Blocks for two seconds at most after it was made.
        var checkup: Checkup? { found.wait { $0 } }
    }

    /// - Parameter today: in seconds since 1970.
    static func ytDLP(_ program: YTDLP, today: Double) -> Checkup {
        guard let path = program.path else { return ytDLP(path: nil, version: .success(""), today: today) }
        let version: Result<String, YTDLP.Silence>
        do throws(YTDLP.Silence) { version = .success(try program.version()) } catch { version = .failure(error) }
        return ytDLP(path: path, version: version, today: today)
    }

    /// - Parameters:
    ///   - path: nil if it is missing.
    ///   - version: what it says, or why it says nothing.
    static func ytDLP(path: String?, version: Result<String, YTDLP.Silence>, today: Double) -> Checkup {
        let subject = "yt-dlp"
        guard let path = path.map({ CleanText.line($0) }) else {
            return Checkup(
                subject: subject, verdict: .limited, found: "not installed: web pages without a feed cannot be played",
                advice: "install yt-dlp, or set its path in the configuration: [tools] yt_dlp = \"…\"")
        }
        switch version {
        case .failure(let silence):
            return Checkup(
                subject: subject, verdict: .limited, found: "\(path) does not work: \(silence.why)",
                advice: "reinstall yt-dlp")
        case .success(let version):
            guard let days = days(since: version, today: today) else {
                return Checkup(subject: subject, verdict: .good, found: "\(path), \(version)", advice: nil)
            }
            let isOld = days >= 60
            return Checkup(
                subject: subject, verdict: isOld ? .limited : .good, found: "\(path), \(version), \(age(days))",
                advice: isOld ? "update yt-dlp; sites change often and break old versions" : nil)
        }
    }

    /// How many days ago a version was made that is a date: "2026.08.11", perhaps with a further part; nil for others.
    private static func days(since version: String, today: Double) -> Int? {
        let parts = version.split(separator: ".")
        guard parts.count >= 3, parts[0].utf8.count == 4, let year = Int64(parts[0]), let month = Int64(parts[1]),
            let dayOfMonth = Int64(parts[2]),
            let day = CivilDate.days(ofYear: year, month: month, day: dayOfMonth)
        else { return nil }
        let days = Int64(today / 86_400) - day
        return days < 0 ? nil : Int(days)
    }

    private static func age(_ days: Int) -> String {
        func count(_ number: Int, _ unit: String) -> String { "\(number) \(unit)\(number == 1 ? "" : "s") old" }
        switch days {
        case 0: return "released today"
        case ..<60: return count(days, "day")
        case ..<730: return count(days / 30, "month")
        default: return count(days / 365, "year")
        }
    }
}
