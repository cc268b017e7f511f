import Model
import TerminalInput
import Testing

@testable import UI

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Plain mode: what a person with a screen reader hears.
struct PlainTests {
    private typealias Comment = Model.Comment

    /// A page, and the lines printed since the last look.
    private final class Listener {
        let page: Page
        private var lines = ScreenReaderOutput()
        private(set) var heard: [String] = []

        init(_ items: [Item] = Page.feed, isFirstRun: Bool = false) {
            var options = Options()
            (options.isPlain, options.reducedMotion, options.isFirstRun) = (true, true, isFirstRun)
            options.pictureMode = .ascii
            page = Page(items, options: options)
            listen()
        }

        private func listen() { heard += lines.next(page.state, now: page.now) }

        /// What is new.
        func said() -> [String] {
            defer { heard = [] }
            return heard
        }

        @discardableResult
        func send(_ event: Event) -> [String] {
            page.send(event)
            listen()
            return said()
        }

        @discardableResult
        func press(_ key: Key) -> [String] { send(.key(key)) }
        @discardableResult
        func type(_ text: String) -> [String] { text.flatMap { press(.character($0)) } }

        /// Lets time pass, with the ticks that the page asks for.
        @discardableResult
        func wait(_ time: Duration) -> [String] {
            let end = page.now + time
            var lines: [String] = []
            while let due = page.state.nextWake(after: page.now), due <= end {
                page.now = due
                lines += send(.tick)
            }
            page.now = end
            return lines
        }

        @discardableResult
        func play(sound: Bool = true) -> [String] {
            let id = page.state.currentID ?? ""
            let facts = ClipFacts(
                duration: .seconds(80), isSeekable: true, hasVideo: true, hasAudio: sound, container: "mp4")
            return send(.player(id, .opened(facts))) + send(.player(id, .firstFrame)) + send(.player(id, .playing))
                + send(.player(id, .position(.seconds(12), duration: .seconds(80))))
        }
    }

    private func playing(_ items: [Item] = Page.feed) -> Listener {
        let listener = Listener(items)
        listener.play()
        listener.wait(.seconds(3))
        listener.send(.player(listener.page.state.currentID ?? "", .position(.seconds(12), duration: .seconds(80))))
        _ = listener.said()
        return listener
    }

    // MARK: Pages

    @Test func radioTitlesArePrinted() {
        let listener = playing()
        _ = listener.said()
        let id = listener.page.state.currentID ?? ""
        #expect(listener.send(.player(id, .title("Ann - First"))) == ["now playing: Ann - First"])
        #expect(listener.send(.player(id, .title("Ann - First"))) == [])
        #expect(listener.send(.player(id, .title(nil))) == [])
        #expect(listener.send(.player(id, .title("Bob"))) == ["now playing: Bob"])
    }

    @Test func aPageIsOneLineTheMostImportantFirst() {
        let listener = Listener()
        #expect(
            listener.said() == [
                "flick: ? lists the keys, q quits", "feed: 4 clips",
                "1 of 4: Night market in the rain. Mira Okafor. 0:21. Steam, neon and forty kinds of dumplings. We walked from the river gate to the old theatre and tried one of everything; the list is in the comments, the recipes are on the site. trust 82 of 100, Verified source. topics street, food, rain.",
            ])
        #expect(listener.play() == ["playing"])
        #expect(listener.press(.down).first?.hasPrefix("2 of 4: 東京の夜、雨のあと étude. 田中さくら. 日本語") == true)
        // What was not known of it comes once it is.
        #expect(listener.play(sound: false) == ["playing, 1:20 long, no audio"])
    }

    @Test func longDescriptionIsPrintedOnRequest() {
        let words = (1...100).map { "word\($0)" }.joined(separator: " ")
        let listener = Listener([Item(id: "a", url: "file:///a.mp4", title: "A", text: words)])
        let line = listener.said().last ?? ""
        #expect(line.hasSuffix("... (e shows all)") && line.utf8.count < 240)
        #expect(listener.type("e") == ["A", words])
    }

    @Test func anEmptyFeedSaysWhatCanBeDone() {
        let listener = Listener([])
        #expect(listener.said() == ["flick: ? lists the keys, q quits", "nothing to play here; r refreshes"])
        #expect(listener.send(.feed(Page.feed, title: "Walks")).first == "Walks: 4 clips")
    }

    /// What comes from a feed commands no terminal, and no voice: neither escape sequences nor marks of direction.
    @Test func hostileTextIsCleanedEverywhere() {
        let bad = "a\u{1B}[31mb\u{7}\nc\u{202E}d\u{9B}2Je\u{1B}]0;x\u{7}f\r\ng\u{2028}h"
        let item = Item(
            id: "x", url: "file:///\(bad)", title: bad, text: bad, creator: .init(name: bad), tags: [bad],
            sound: .init(title: bad), trust: .init(score: 3, label: bad, reasons: [bad]),
            stats: .init(likes: 3, comments: 4))
        let listener = Listener([item, item])
        var lines = listener.said()
        listener.send(.service(takesComments: true))
        lines += listener.play() + listener.type("eTIM")
        lines += listener.press(.escape) + listener.type("#") + listener.press(.escape) + listener.type("c")
        let comment = Comment(id: bad, name: bad, text: bad, at: Page.midnight)
        lines += listener.send(.comments("x", after: nil, CommentPage(comments: [comment])))
        lines += listener.send(.notice(bad)) + listener.send(.paste(bad))
        lines += listener.send(.player("x", .failed(bad, advice: bad, detail: bad))) + listener.type("I/")
        lines += listener.send(.paste(bad)) + listener.press(.enter)
        lines += listener.send(.feed([item], title: bad))
        #expect(lines.count > 30 && lines.contains { $0.contains("\u{FFFD}") })
        for scalar in lines.joined().unicodeScalars {
            #expect(scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value))
            #expect(!(0x200B...0x200F).contains(scalar.value) && !(0x2028...0x202E).contains(scalar.value))
        }
    }

    // MARK: The clip

    @Test func playingSaysNothingMore() {
        let listener = playing()
        var lines: [String] = []
        for second in 13...40 {
            lines += listener.send(.player("v1", .position(.seconds(second), duration: .seconds(80))))
            lines +=
                listener.send(.player("v1", .level(0.5))) + listener.send(.player("v1", .diagnostics(Diagnostics())))
            lines += listener.wait(.seconds(1))
        }
        #expect(lines == [])
    }

    @Test func pauseStallEndAndFailureArePrinted() {
        let listener = playing()
        #expect(listener.type(" ") == ["paused at 0:12 of 1:20"])
        listener.send(.player("v1", .paused))
        #expect(listener.type(" ") + listener.send(.player("v1", .playing)) == ["playing"])
        listener.send(.player("v1", .stalled(true)))
        #expect(listener.wait(.seconds(1)) == ["buffering at 0:12 of 1:20"])
        let wait = ClipWait(place: "example.org", isRemote: true, share: 0.2, speed: 900)
        #expect(listener.send(.player("v1", .waits(wait))) == ["waiting for example.org"])
        #expect(listener.send(.player("v1", .waits(ClipWait(place: "example.org", isRemote: true, share: 0.4)))) == [])
        listener.send(.player("v1", .waits(nil)))
        #expect(listener.send(.player("v1", .stalled(false))) + listener.wait(.seconds(1)) == ["playing"])
        #expect(listener.send(.player("v1", .ended)) == ["ended; Space replays it"])
        let failure = PlayerReport.failed("the file is cut off", advice: "fetch it again")
        #expect(
            listener.send(.player("v1", failure)) == [
                "cannot be played: The file is cut off. Fetch it again; Enter retries, Down skips to the next clip"
            ])
    }

    @Test func lastClipOffersNoNextOne() {
        let listener = Listener([Page.feed[0]])
        let lines = listener.send(.player("v1", .failed("the file is cut off")))
        #expect(lines.last == "cannot be played: The file is cut off; Enter retries")
    }

    @Test func aSeekIsOneLineHoweverManyKeysItHas() {
        let listener = playing()
        #expect(listener.press(.right) + listener.press(.right) + listener.press(.right) == [])
        #expect(listener.wait(.milliseconds(300)) == ["0:27 of 1:20"])
        #expect(listener.type("5") == ["0:40 of 1:20"])
    }

    @Test func pageIsPrintedAgain() {
        let listener = playing()
        let lines = listener.press(.control("l"))
        #expect(lines.count == 2 && lines[0].hasPrefix("1 of 4: Night market"))
        #expect(lines[1] == "playing at 0:12 of 1:20")
        // After the shell had the terminal, too.
        #expect(listener.send(.resumed).first == lines[0])
    }

    @Test func reactionsSoundAndSpeedAreWords() {
        let listener = playing()
        #expect(listener.type("l") == ["Liked"])
        #expect(listener.type("l") == ["Unliked - l to undo"])
        #expect(listener.type("dsf") == ["Disliked", "Saved", "Following Mira Okafor"])
        #expect(listener.type("-") == ["Volume 95 %"] && listener.type("=") == ["Volume 100 %"])
        // The same once more is a line too.
        #expect(listener.type("=") == ["Volume 100 %"])
        #expect(listener.type("m") == ["Muted"] && listener.type("m") == ["Volume 100 %"])
        #expect(listener.type("]") == ["Speed 1.25x"] && listener.press(.backspace) == ["Speed 1x"])
        let line = listener.press(.control("l")).first ?? ""
        #expect(line.contains(" 1:20. disliked. saved. followed. "))
    }

    /// Each key of the page has its line, or something to wait for.
    @Test(arguments: Action.allCases.filter { $0.mode == .page })
    func everyKeyHasItsLine(_ action: Action) {
        let listener = playing()
        listener.send(.service(takesComments: true))
        if action == .frameBack || action == .frameForward { listener.type(" ") }
        if action == .retry { listener.send(.player("v1", .failed("broken"))) }
        guard let key = KeyTable.keys(of: action).first else { return }
        let lines = listener.press(key)
        let effects = listener.page.orders
        let later = listener.wait(.seconds(1))
        let answers = effects.contains {
            switch $0 {
            case .copy, .openElsewhere, .openPart, .quit, .suspend, .retry, .saveFrame, .saveClip: true
            default: false
            }
        }
        #expect(!(lines + later).isEmpty || answers, "\(action)")
    }

    @Test func aKeyThatDoesNothingSaysSo() {
        let listener = Listener(isFirstRun: true)
        #expect(!listener.said().contains { $0.contains("does nothing") })
        listener.wait(.seconds(1))
        #expect(listener.press(.function(9)) == ["this key does nothing here; ? lists the keys"])
        listener.play()
        #expect(listener.press(.escape) == ["Nothing is open"])
    }
}

extension PlainTests {
    // MARK: Sheets

    @Test func theKeysAreListedAndReadLineByLine() {
        let listener = playing()
        let lines = listener.type("?")
        #expect(lines.starts(with: ["Keys", "Most used", "Down j PgDn: next page"]))
        #expect(
            lines.count > 50
                && !lines.contains { $0.contains("wheel") || $0.contains("click") && !$0.contains("double") })
        #expect(listener.press(.down) == ["Down j PgDn: next page"] && listener.press(.up) == ["Most used"])
        // At the beginning it is the same again.
        #expect(listener.press(.up) == ["Most used"] && listener.type("G") == [lines.last])
        #expect(listener.press(.escape) == ["closed"])
    }

    @Test func trustAndDiagnosticsAreLines() {
        let listener = playing()
        #expect(
            listener.type("T") == [
                "Trust", "Verified source: 82 of 100", "Known since 2019", "Signed upload",
                "Score provided by the feed.",
            ])
        let lines = listener.type("I")
        #expect(lines.first == "Diagnostics" && lines.contains("duration: 1:20"))
    }

    @Test func anEntryOfTheMenuIsChosenByEar() {
        let listener = playing()
        #expect(
            listener.type("M").starts(with: [
                "This clip; Down reads the next, Enter selects it", "Like, l", "Dislike, d",
            ]))
        #expect(listener.press(.down) == ["Dislike, d"])
        #expect(listener.press(.enter) == ["Disliked"])
    }

    @Test func commentsArePrintedOnceAndCanBeChosen() {
        let listener = playing()
        listener.send(.service(takesComments: true))
        #expect(
            listener.type("c") == ["Comments, 45; Enter adds one, r replies", "Loading comments..."])
        let comments = (1...3).map {
            Comment(id: "\($0)", name: "Ann \($0)", text: "Nice \($0)", at: Page.midnight.addingTimeInterval(-60))
        }
        let lines = listener.send(.comments("v1", after: nil, CommentPage(comments: comments)))
        #expect(lines == ["Ann 1, 1m ago: Nice 1", "Ann 2, 1m ago: Nice 2", "Ann 3, 1m ago: Nice 3"])
        #expect(listener.press(.down) == ["2 of 3: Ann 2, 1m ago: Nice 2"])
        #expect(listener.press(.enter) == ["Comment; Enter sends, Esc closes"])
        #expect(listener.type("Me too") == [])
        #expect(listener.press(.enter) == ["sending: Me too"])
        let sent = Comment(id: "77", name: "Me", text: "Me too", at: Page.midnight, isOwn: true)
        #expect(listener.send(.commentSent("v1", local: "local-1", sent)) == ["Comment sent"])
    }

    // MARK: Typing

    @Test func typedTextIsPrintedAtTheEnd() {
        let listener = playing()
        listener.send(.service(takesComments: true))
        #expect(listener.type(":") == ["Comment; Enter sends, Esc closes"])
        listener.send(.player("v1", .paused))
        #expect(listener.type("Hello the") == [])
        #expect(listener.press(.escape).first == "closed; draft kept: Hello the")
        #expect(listener.type(":") == ["Comment: Hello the; Enter sends, Esc closes"])
        listener.type("re")
        #expect(listener.press(.enter).first == "sending: Hello there")
        #expect(
            listener.send(.commentRefused("v1", local: "local-1", why: "too late"))
                == ["Comment not sent (c shows it): too late"])
    }

    @Test func searchPrintsItsMatches() {
        let listener = playing()
        #expect(listener.type("/").first?.hasPrefix("Find a title") == true)
        #expect(listener.type("a").last == "2 found: Night market in the rain, Mira Okafor")
        #expect(listener.press(.down).last?.hasPrefix("2 of 2: ") == true)
        #expect(listener.type("qqq").last == "no matches")
        for _ in 0..<4 { listener.press(.backspace) }
        #expect(listener.type("plain") + listener.wait(.seconds(1)) == ["1 found: plain name"])
        #expect(listener.press(.enter) == ["find: plain", "4 of 4: plain name."])
    }

    // MARK: Parts of the feed

    @Test func aCreatorsClipsAreAList() {
        let items = (1...6).map {
            Item(id: "i\($0)", url: "file:///\($0).mp4", title: "Clip \($0)", creator: .init(id: "c", name: "Ann"))
        }
        let listener = playing(items)
        let part = FeedPart.creator(key: "c", id: "c", name: "Ann")
        listener.type("u")
        #expect(
            listener.send(.part(part, items)) == [
                "clips of Ann: 6 clips; Down reads the next, Enter opens, Esc goes back", "1 of 6: Clip 1",
            ])
        #expect(!listener.page.orders.contains { if case .showTiles = $0 { true } else { false } })
        #expect(listener.press(.down) == ["2 of 6: Clip 2"] && listener.press(.right) == ["3 of 6: Clip 3"])
        #expect(listener.press(.enter) == ["3 of 6: Clip 3. Ann."])
        #expect(
            listener.send(.wholeFeed(items, title: "Feed", at: 2)) == [
                "back to the whole feed", "3 of 6: Clip 3. Ann.",
            ])
    }
}
