import Wire

/// Chapters, tracks and text as no honest decoder has them.
extension Misdeed {
    private static func opening(
        _ name: String, _ end: End, _ change: @escaping @Sendable (inout MediaInfo) -> Void
    ) -> Misdeed {
        Misdeed(name, end) { hand in
            try hand.open(change)
            if end == .borne { try hand.play() } else { try hand.hearAll() }
        }
    }

    private static func cue(_ start: Microseconds, _ end: Microseconds, _ text: String = "x") -> FromDecoder {
        .cue(serial: 0, start: start, end: end, text: text)
    }

    static let parts: [Misdeed] = [
        opening("has chapters that go back", .replaced(.wire)) {
            $0.chapters = [.init(start: 2_000_000, title: "b"), .init(start: 1_000_000, title: "a")]
        },
        opening("has a chapter before the clip", .replaced(.wire)) { $0.chapters = [.init(start: -1, title: "")] },
        opening("has a thousand chapters at once, with titles that command", .borne) { info in
            info.chapters = (0..<1_000).map { _ in .init(start: 5, title: "\u{1B}]0;x\u{7}\u{202E}") }
        },
        opening("has a chapter in a hundred years", .borne) {
            $0.chapters = [.init(start: WireLimit.time - 1, title: "")]
        },
        opening("has 64 sounds, all of them chosen", .borne) { info in
            let name = String(repeating: "\u{1B}[2Jé", count: 40)
            info.soundTracks = (0..<64).map { _ in .init(language: name, title: name, isChosen: true) }
            info.textTracks = info.soundTracks
        },
        Misdeed("says something before the clip is open", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.send(cue(0, 1))
            try hand.hearAll()
        },
        Misdeed("says something that ends before it begins", .replaced(.wire)) { hand in
            try hand.open()
            try hand.send(cue(2, 1))
            try hand.hearAll()
        },
        Misdeed("says something before the clip", .replaced(.wire)) { hand in
            try hand.open()
            try hand.send(cue(-1, 1))
            try hand.hearAll()
        },
        Misdeed("sends cues that were not requested", .borne) { hand in
            try hand.open()
            for index in 0..<600 {
                try hand.send(
                    cue(Microseconds(index), WireLimit.time - 1, "\u{1B}[2J" + String(repeating: "\n", count: 900)))
            }
            try hand.play()
        },
        Misdeed("talks without end", .replaced(.wire)) { hand in
            try hand.open()
            try hand.flood(cue(0, 1, String(repeating: "x", count: 1_000)))
        },
    ]
}
