import Bytes
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Feeds

/// Several sources on servers.
@Suite struct ParallelReadingTests {
    /// Each answer waits until all have been requested, so that sequential reading would never end.
    @Test func sourcesOnServersAreReadAtTheSameTime() throws {
        let asked = Monitor(0)
        let provider = ScriptedProvider { url, _ throws(BytesError) in
            asked.change { $0 += 1 }
            let all = asked.wait(upTo: .seconds(60)) { $0 == 5 ? true : nil }
            guard all == true else { throw BytesError(verb: .open, url: url, reason: .dropped) }
            if url.hasSuffix("3.json") { throw BytesError(verb: .open, url: url, reason: .status(404)) }
            return MadeSource(url: url, "{\"title\": \"\(url.dropLast(5).last ?? " ")\", \"items\": [\"\(url).mp4\"]}")
        }
        let sources = (1...5).map { "https://h\($0)/\($0).json" }
        let feed = try loadFeed(sources: sources + ["https://h/clip.mp4"], provider: provider)
        // In the order of the sources, whichever came first.
        let wanted = [1, 2, 4, 5].map { "https://h\($0)/\($0).json.mp4" } + ["https://h/clip.mp4"]
        #expect((0..<feed.items.count).map { feed.items[$0].url } == wanted)
        #expect(feed.title == "1, 2, 4, …" && feed.warnings.count == 1)
        #expect(feed.source == (sources.filter { !$0.contains("3") } + ["https://h/clip.mp4"]).joined(separator: " "))
    }

    /// As above. Of those that cannot be read each says why.
    @Test func eachIsReadOnItsOwn() throws {
        let asked = Monitor(0)
        let provider = ScriptedProvider { url, _ throws(BytesError) in
            asked.change { $0 += 1 }
            let all = asked.wait(upTo: .seconds(60)) { $0 == 4 ? true : nil }
            guard all == true else { throw BytesError(verb: .open, url: url, reason: .dropped) }
            switch url {
            case "https://h2/2": throw BytesError(verb: .open, url: url, reason: .status(404))
            case "https://h3/3":
                return MadeSource(url: url, "<opml><body><outline xmlUrl='https://h3/3'/></body></opml>")
            default: return MadeSource(url: url, "{\"items\": [\"\(url).mp4\"]}")
            }
        }
        let sources = (1...4).map { FeedSource("https://h\($0)/\($0)", name: "N\($0)") }
        let answers = readEach(of: sources, atOnce: 4, areOfList: true, provider: provider, options: FeedOptions()) {
            $0.items[0].url
        }
        let read = answers.map { answer in
            switch answer {
            case .success(let url): url
            case .failure(let error): "\(error)"
            }
        }
        #expect(read[0] == "https://h1/1.mp4" && read[3] == "https://h4/4.mp4")
        #expect(read[1].hasPrefix("N2: cannot open ") && read[1].contains("404"))
        // A list may not lead to a list, which could be itself.
        #expect(read[2].hasPrefix("N3: cannot ") && asked.withLock { $0 } == 4)
    }

    @Test(arguments: [1, 3, 100])
    func everyValueIsMadeOnceAndNotTooManyAtOnce(atOnce: Int) {
        let running = Mutex((now: 0, most: 0, made: [Int: Int]()))
        let readings = ParallelReadings(count: 50, atOnce: atOnce) { place in
            running.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
                $0.made[place, default: 0] += 1
            }
            defer { running.withLock { $0.now -= 1 } }
            return place * 2
        }
        #expect((0..<50).map { readings.result($0) } == (0..<50).map { $0 * 2 })
        // The thread that takes the results makes some, too.
        #expect(
            running.withLock { $0.most <= atOnce + 1 && $0.made.count == 50 && $0.made.values.allSatisfy { $0 == 1 } })
    }
}
