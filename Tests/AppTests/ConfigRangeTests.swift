import Testing

@testable import App

/// The values that keys of the configuration accept, up to their bounds.
@Suite struct ConfigRangeTests {
    /// Whether a key accepts a value, as it is written in the file.
    private func accepts(_ key: String, _ value: String) -> Bool {
        let remarks = ConfigReader(Array("\(key) = \(value)".utf8)).remarks
        #expect(remarks.count <= 1 && remarks.allSatisfy { $0.weight == .error }, "\(remarks)")
        return remarks.isEmpty
    }

    @Test(
        arguments: [
            ("feed.load_more_at", ["0", "1000"], ["-1", "1001"]),
            ("playback.volume", ["0", "100"], ["-0.5", "100.5"]),
            ("playback.resume_over", ["0", "'1d'"], ["'1441m'"]),
            ("playback.seek_step", ["0.1", "'1h'"], ["0.09", "3601"]),
            ("playback.sleep", ["0", "'1d'"], ["86401"]),
            ("sound.level", ["-40", "-5", "'off'"], ["-40.5", "-4.5", "'on'"]),
            ("cache.size", ["'1MB'", "'1024TB'"], ["1048575", "'1025TB'"]),
            ("cache.low_water", ["0.1", "1"], ["0.09", "1.01"]),
            ("cache.age", ["60", "'3650d'"], ["59", "'3651d'"]),
            ("cache.feed_age", ["60", "'3650d'"], ["59", "'3651d'"]),
            ("cache.save_every", ["'256KB'", "'16MB'"], ["262143", "16777217"]),
            ("prefetch.ahead", ["0", "50"], ["-1", "51"]), ("prefetch.behind", ["0", "50"], ["-1", "51"]),
            ("prefetch.concurrent", ["1", "16"], ["0", "17"]),
            ("prefetch.buffer", ["0.1", "60"], ["0.09", "60.1"]),
            ("prefetch.bitrate", ["16000", "'1000M'"], ["15999", "1000000001"]),
            ("interface.click_delay", ["0", "2"], ["2.1"]),
            ("for_you.exploration", ["0", "50"], ["-1", "51"]),
            ("network.timeouts.connect", ["0.1", "600"], ["0.09", "601"]),
            ("network.timeouts.first_byte", ["0.1", "600"], ["0.09", "601"]),
            ("network.timeouts.stall", ["0.1", "600"], ["0.09", "601"]),
        ] as [(String, [String], [String])])
    func numbersAreAcceptedUpToTheirBounds(key: String, accepted: [String], refused: [String]) {
        for value in accepted { #expect(accepts(key, value), "\(key) = \(value)") }
        for value in refused { #expect(!accepts(key, value), "\(key) = \(value)") }
    }

    @Test(arguments: [("engagement.name", 64), ("network.user_agent", 200), ("hide.words", 2_000)])
    func textsAreAcceptedUpToTheirLength(key: String, limit: Int) {
        func value(_ text: String) -> String { key == "hide.words" ? "['ok', '\(text)']" : "'\(text)'" }
        #expect(accepts(key, value("x")) && accepts(key, value(String(repeating: "x", count: limit))))
        #expect(!accepts(key, value("")) && !accepts(key, value(String(repeating: "x", count: limit + 1))))
    }

    @Test func percentagesBecomeShares() {
        let text = "playback.volume = 35\nfor_you.exploration = 5\ncache.low_water = 0.5"
        let configuration = ConfigReader(Array(text.utf8)).configuration
        #expect(configuration.playback.volume == 0.35 && configuration.forYou.exploration == 0.05)
        #expect(configuration.cache.lowWater == 0.5)
    }
}

@Suite struct NearestNameTests {
    @Test func nameWithTheFewestChangesIsMeant() {
        #expect(NearestName.of("volum", among: ["column", "volume", "values"]) == "volume")
        // Two letters swapped are two changes, which is the most.
        #expect(NearestName.of("szie", among: ["lines", "size"]) == "size")
        #expect(NearestName.of("abcd", among: ["abcxyz"]) == nil)
        #expect(NearestName.of("ab", among: ["abcd"]) == "abcd" && NearestName.of("ab", among: ["abcde"]) == nil)
    }

    @Test func sameNameInAnotherSectionIsMeant() {
        let names = ["cache.size", "cache.age", "playback.loop"]
        #expect(NearestName.of("playback.age", among: names) == "cache.age")
        // Only a whole name.
        #expect(NearestName.of("interface.ge", among: names) == nil)
    }

    @Test func longTextIsNoMistypedName() {
        let text = String(repeating: "a", count: 64)
        #expect(NearestName.of(text, among: [text]) == text && NearestName.of(text + "a", among: [text + "a"]) == nil)
    }
}
