import Model
import Testing

@testable import UI

struct ToastTests {
    @Test func theNewestIsShownAtOnce() {
        var toasts = Toasts()
        for number in 0..<100 {
            toasts.show("\(number)", now: .milliseconds(number))
            #expect(toasts.current?.text == GlyphLine("\(number)"))
        }
        toasts.advance(to: .seconds(9))
        #expect(toasts.current == nil)
    }

    /// It may have to be copied by hand.
    @Test(arguments: [(80, 24), (40, 12), (200, 60)]) func linksAreShownWhole(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        let link = "https://example.org/" + String(repeating: "abcdefghi/", count: 18)
        page.send(.linkNotice("Cannot copy; this terminal has no clipboard", link: link, .failure))
        page.now += .seconds(1)
        let frame = try #require(page.state.toast(now: page.now)).frame
        let shown = page.screen[frame.row..<(frame.row + frame.rows)].map { row in
            String(row.dropFirst(frame.column).prefix(frame.columns))
        }
        #expect(shown.joined().filter { $0 != " " }.contains(link))
    }

    /// Names of files, hosts, keys and programs stay as they are written.
    @Test(arguments: [
        ("cannot open it", "Cannot open it"), ("no feed", "No feed"), ("Saved", "Saved"), ("1 new", "1 new"), ("", ""),
        ("über", "Über"), ("wait: it is late", "Wait: it is late"), ("flicker is visible", "Flicker is visible"),
        ("flick is quitting", "flick is quitting"), ("flick's database is full", "flick's database is full"),
        ("yt-dlp: no output", "yt-dlp: no output"), ("a.mp4 is empty", "a.mp4 is empty"), ("videos/a", "videos/a"),
        ("cache.size is 1", "cache.size is 1"), ("peertube:host is late", "peertube:host is late"),
        ("hide_overlay has no key", "hide_overlay has no key"), ("'a': no", "'a': no"),
    ])
    func toastBeginsWithACapital(text: String, shown: String) {
        var toasts = Toasts()
        toasts.show(text, now: .zero)
        #expect(toasts.current?.text.text == shown)
    }

    @Test func aToastSlidesInAndOut() {
        var toasts = Toasts()
        toasts.show("one", now: .zero)
        #expect(toasts.exposure(now: .zero) == 0)
        #expect(abs(toasts.exposure(now: .milliseconds(75)) - 0.5) < 0.01)
        #expect(toasts.exposure(now: .seconds(1)) == 1)
        #expect(abs(toasts.exposure(now: .milliseconds(2_025)) - 0.5) < 0.01)
    }

    /// A toast that replaces another in the middle of a slide continues from there, and then stays its whole time.
    @Test(arguments: [75, 1_000, 2_025]) func aReplacementDoesNotJump(now: Int) {
        var toasts = Toasts()
        toasts.show("one", now: .zero)
        let before = toasts.exposure(now: .milliseconds(now))
        toasts.show("two", now: .milliseconds(now))
        #expect(abs(toasts.exposure(now: .milliseconds(now)) - before) < 0.001)
        #expect(toasts.exposure(now: .milliseconds(now + 1_800)) == 1)
        toasts.advance(to: .milliseconds(now + 2_101))
        #expect(toasts.current == nil)
    }

    @Test func aFailureStaysTwiceAsLong() {
        func time(_ kind: Toasts.Kind) -> Duration? {
            var toasts = Toasts()
            toasts.show("one", as: kind, now: .zero)
            return toasts.current.map { $0.until - $0.start - Toasts.slide }
        }
        #expect(time(.news) == .milliseconds(1_800))
        #expect(time(.failure) == .milliseconds(3_600))
    }

    @Test func aRemarkNeverTakesTheToastOfAnAnswer() {
        var toasts = Toasts()
        toasts.allowRemarks(from: .zero)
        toasts.show("answer", now: .seconds(1))
        toasts.show("remark", as: .remark, now: .seconds(1))
        #expect(toasts.current?.text == GlyphLine("Answer"))
        toasts.advance(to: .milliseconds(3_100))
        #expect(toasts.current?.text == GlyphLine("Remark"))
        toasts.show("answer", now: .milliseconds(3_200))
        #expect(toasts.current?.text == GlyphLine("Answer"))
    }

    /// "Downloaded" often comes at the same moment as what could not be downloaded with the clip.
    @Test func aRemarkComesBackThatCouldNotBeRead() {
        func shown(after remarked: Duration) -> [GlyphLine?] {
            var toasts = Toasts()
            toasts.allowRemarks(from: .zero)
            toasts.show("remark", as: .remark, now: .zero)
            toasts.show("answer", now: remarked)
            return [0, 2_200, 4_200, 6_200].map {
                toasts.advance(to: remarked + .milliseconds($0))
                // What comes back is no news for a screen reader.
                #expect(toasts.count == 2)
                return toasts.current?.text
            }
        }
        let (answer, remark) = (GlyphLine("Answer"), GlyphLine("Remark"))
        #expect(shown(after: .milliseconds(100)) == [answer, remark, remark, nil])
        #expect(shown(after: .milliseconds(1_940)) == [answer, remark, remark, nil])
        #expect(shown(after: .milliseconds(1_960)) == [answer, nil, nil, nil])
    }

    @Test func aFloodOfRemarksIsBounded() {
        var toasts = Toasts()
        for number in 0..<100 { toasts.show("\(number)", as: .remark, now: .zero) }
        #expect(toasts.current == nil)
        toasts.allowRemarks(from: .seconds(2))
        var seen: [GlyphLine] = []
        for second in 0..<20 {
            toasts.advance(to: .seconds(2 + 4 * second))
            if let toast = toasts.current { seen.append(toast.text) }
        }
        #expect(seen == ["97", "98", "99"].map { GlyphLine($0) })
    }

    // MARK: On the page

    /// The next one replaces it, and what was removed can be had again. A like has its heart.
    @Test func everyChangeShowsOneToast() {
        let page = Page(columns: 120, rows: 40)
        page.play()
        let changes: [(Character, String?)] = [
            ("m", "Muted"), ("m", "Volume ▮▮▮▮▮▮▮▮▮▮ 100 %"), ("]", "Speed 1.25x"), ("[", "Speed 1x"),
            ("A", "Auto-advance on"), ("A", "Auto-advance off"), ("s", "Saved"), ("s", "Unsaved · s to undo"),
            ("f", "Following Mira Okafor"), ("f", "Unfollowed Mira Okafor · f to undo"), ("d", "Disliked"),
            ("d", "Dislike removed · d to undo"), ("l", nil), ("l", "Unliked · l to undo"),
        ]
        for (key, words) in changes {
            page.type(key)
            #expect(page.state.toasts.current?.text.text == words, "\(key)")
        }
    }

    @Test func withoutMotionALikeIsAToast() {
        var options = Options()
        options.reducedMotion = true
        let page = Page(options: options)
        page.play()
        page.type("l")
        #expect(page.state.toasts.current?.text.text == "Liked")
    }

    @Test func noKeyToUndoWithIsNotNamed() {
        var options = Options()
        options.keys = KeyMap(changing: [.save: []])
        let page = Page(options: options)
        page.play()
        #expect(page.state.offering(.save, "to undo", after: "Unsaved") == "Unsaved")
        options.pictureMode = .ascii
        page.state.options = options
        #expect(page.state.offering(.like, "to undo", after: "Unliked") == "Unliked - l to undo")
    }

    /// What is said of a clip would be read as if it were said of the next one.
    @Test func aToastAboutAClipGoesWithItsPage() {
        let page = Page()
        for character in "}vb0cu" {
            page.play()
            page.state.clip.facts?.isSeekable = false
            if character == "u" { page.press(.end) }
            page.type(character)
            #expect(page.state.toasts.current?.subject == .clip, "\(character)")
            page.press(page.state.current == 0 ? .down : .up)
            #expect(page.state.toasts.current == nil, "\(character)")
            page.wait(.seconds(1))
        }
        page.type("z")
        page.press(.up)
        page.wait(.milliseconds(500))
        #expect(page.state.toasts.current != nil)
        page.state.toasts.show("Comment not sent: no", as: .failure, now: page.now)
        page.press(.down)
        #expect(page.state.toasts.current != nil)
    }

    /// The sheet shows more of it, or something else by now.
    @Test func aToastGoesWhenTheSheetOpensThatItIsAbout() {
        let page = Page()
        page.play()
        page.state.feed.readsComments = { _ in true }
        page.type(":")
        page.wait(.milliseconds(1_100))
        page.type("?")
        page.type("?")
        #expect(page.toast == "This feed does not accept comments")
        page.type("c")
        #expect(page.state.view.sheet == .comments && page.toast == nil)
        // What is said while the sheet is open stays.
        page.type(":")
        #expect(page.toast == "This feed does not accept comments")
    }

    @Test func aKeyThatCannotDoItsWorkHereSaysWhy() {
        var options = Options()
        options.startIndex = 3
        let page = Page(options: options)
        page.play()
        var toast: String? { page.state.toasts.current?.text.text }
        #expect(page.type("f").isEmpty && toast == "This clip has no creator to follow")
        #expect(page.type("T").isEmpty && page.state.view.sheet == nil && toast == "This clip has no trust score")
    }

    @Test func steppingPauses() {
        let page = Page()
        page.play()
        #expect(page.type(",") == [.pause("v1"), .step("v1", by: -1)])
        #expect(page.type(".") == [.step("v1", by: 1)])
        #expect(page.type(" ") == [.play("v1")])
    }

    /// Who types a comment where none can be written does not mean the letters as commands.
    @Test func refusedTextIsNotTakenForCommands() {
        let page = Page()
        page.play()
        page.type(":")
        #expect(page.state.toasts.current?.text.text == "This feed does not accept comments")
        for key in "hello" {
            page.wait(.milliseconds(900))
            #expect(page.type(key).isEmpty)
        }
        #expect(page.state.view.sheet == nil)
        page.wait(.milliseconds(1_100))
        #expect(page.type("l") == [.react("v1", Reaction(isLiked: true, isDisliked: false, isSaved: false))])
        page.type(":")
        #expect(!page.press(.down).isEmpty)
        #expect(!page.type("l").isEmpty)
    }

    @Test(arguments: [false, true]) func theVolumeIsABar(isASCII: Bool) {
        var options = Options()
        options.volume = 0.65
        if isASCII { options.pictureMode = .ascii }
        let page = Page(options: options)
        page.play()
        page.type("-")
        let bar = isASCII ? "[######....]" : "▮▮▮▮▮▮▯▯▯▯"
        #expect(page.state.toasts.current?.text == GlyphLine("Volume \(bar) 60 %"))
    }

    @Test func onlyLouderUnmutes() {
        let page = Page()
        page.play()
        page.type("m")
        #expect(page.type("-") == [.setVolume(0)])
        #expect(page.state.playback.sound.isMuted && page.state.playback.sound.volume == 0.95)
        #expect(page.type("=") == [.setVolume(1)])
        #expect(!page.state.playback.sound.isMuted)
    }

    @Test func toastCountsTheCommentsOfAClip() {
        let page = Page()
        page.play()
        page.type("c")
        #expect(page.state.view.sheet == nil)
        page.wait(.milliseconds(200))
        #expect(page.screen[2].contains("45 comments; this") && page.screen[3].contains("share them"))
    }

    @Test(arguments: [(80, 24), (40, 12)]) func aToastNeverLiesOverTheScrubber(columns: Int, rows: Int) {
        let page = Page(columns: columns, rows: rows)
        page.play()
        let before = page.screen[rows - 1]
        page.send(.notice(String(repeating: "words ", count: 60), .failure))
        for _ in 0..<30 {
            page.wait(.milliseconds(100))
            #expect(page.screen[rows - 1].prefix(5) == before.prefix(5) && !page.screen[rows - 1].contains("words"))
        }
    }

    @Test(arguments: [(80, 24), (40, 12), (200, 60)]) func aToastIsAtMostFortyColumnsWide(columns: Int, rows: Int) {
        let page = Page(columns: columns, rows: rows)
        page.play()
        page.send(.notice(String(repeating: "words ", count: 60), .failure))
        page.wait(.milliseconds(500))
        let frame = page.state.toast(now: page.now)?.frame
        #expect(frame.map { $0.columns <= 40 && $0.rows == 3 } == true)
    }

    /// Nor over the column between them. What is to be copied by hand needs the room.
    @Test(arguments: [(40, 12), (45, 14), (50, 16), (60, 20), (80, 24)])
    func aToastLeavesTheRailInView(columns: Int, rows: Int) {
        let page = Page(columns: columns, rows: rows)
        page.play()
        let rail = PageLayout(page.state, index: 0).rail
        let before = draw(page.state, now: page.now).overlay
        for words in ["Saved", String(repeating: "words ", count: 60)] {
            page.send(.notice(words, .failure))
            page.wait(.milliseconds(500))
            let overlay = draw(page.state, now: page.now).overlay
            for row in rail.row..<(rail.row + rail.rows) {
                for column in (rail.column - 1)..<columns { #expect(overlay[column, row] == before[column, row]) }
            }
            #expect(page.screen.contains { $0.contains(words.prefix(5)) })
        }
    }

    @Test(arguments: [(80, 24), (40, 12), (200, 60)]) func aLongLinkLosesItsMiddle(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.play()
        let link = "https://example.org/" + String(repeating: "abcdefghi/", count: 18) + "clip.mp4"
        page.send(.linkNotice("Link copied if the terminal allows it", link: link))
        page.wait(.milliseconds(500))
        let frame = try #require(page.state.toast(now: page.now)).frame
        #expect(frame.columns <= 40 && frame.rows <= 3)
        let text = try #require(page.toast)
        #expect(text.hasPrefix("Link copied if the terminal allows it: http") && text.contains("…"))
        #expect(text.hasSuffix("clip.mp4") && page.screen.contains { $0.contains("mp4") })
        page.send(.linkNotice("Link copied", link: "https://example.org/v1"))
        #expect(page.toast == "Link copied: https://example.org/v1")
        // One that has room is whole.
        page.send(.linkNotice("Frame saved", link: "/home/me/a b.png"))
        #expect(page.toast == "Frame saved: /home/me/a b.png")
        page.send(.linkNotice("Cannot copy; this terminal has no clipboard", link: link, .failure))
        #expect(page.toast?.contains(link) == true)
        let whole = try #require(page.state.toast(now: page.now)).frame
        #expect(whole.columns <= 48)
    }

    @Test func aNoticeNamesServersNotAddresses() {
        let page = Page()
        page.play()
        page.send(.notice("'http://a:b@127.0.0.1:8099/feed.xml?x=1': connection refused; see file:///tmp/log.txt"))
        #expect(page.state.toasts.current?.text.text == "'127.0.0.1:8099': connection refused; see log.txt")
    }

    /// Nor over the feed's name, where there is a row between that and the sheet.
    @Test func aToastLeavesTheFeedsNameInView() {
        let page = Page(columns: 80, rows: 30)
        page.send(.feed(Page.feed, title: "The demo feed of flick, with a long name"))
        page.play()
        page.type("M")
        page.send(.notice("A notice of some length, to be read"))
        page.wait(.milliseconds(500))
        #expect(page.screen[0].contains("The demo feed of flick"))
        #expect(page.screen[1].contains("A notice"))
    }

    /// Where a sheet leaves no row between them, the toast stands beside the name.
    @Test(arguments: [(40, 12), (60, 12), (80, 24), (120, 40)], ["p", "?", "M", "X", "I", "/", "c:"])
    func aToastNeverCoversTheNameOfThePlace(size: (Int, Int), keys: String) {
        let page = Page(columns: size.0, rows: size.1)
        page.state.feed.title = GlyphLine("Following")
        page.state.feed.places = Places([.home, .forYou, .following, .liked, .saved], current: .following)
        page.play()
        page.send(.service(takesComments: true))
        for key in keys { page.type(key) }
        page.send(.notice(String(repeating: "words ", count: 60), .failure))
        page.wait(.milliseconds(500))
        #expect(page.screen[0].contains("Following"), "\(page.screen[0])")
        #expect(page.screen.contains { $0.contains("Words words") })
    }

    /// The chosen line of a sheet, and its title, stay readable while a toast is shown.
    @Test(arguments: [(80, 24), (40, 12), (200, 60)]) func aToastNeverLiesOverASheet(columns: Int, rows: Int) {
        for key in "M?IT" {
            let page = Page(columns: columns, rows: rows)
            page.play()
            page.type(key)
            let layout = SheetLayout(page.state)
            let before = page.screen
            page.send(.notice(String(repeating: "words ", count: 60), .failure))
            page.wait(.milliseconds(500))
            #expect(page.screen[layout.frame.row...] == before[layout.frame.row...], "\(key)")
            #expect(page.screen[..<layout.frame.row].contains { $0.contains("words") })
        }
    }

    /// Also where the whole caption leaves it little room.
    @Test(arguments: [(80, 24), (40, 12), (60, 20)]) func aToastNeverLiesOverASubtitle(columns: Int, rows: Int) {
        var item = Page.feed[0]
        item.captions = [CaptionLink(url: "file:///a.vtt", language: "en")]
        // A longer one would be in a sheet, which has no subtitles beside it.
        item.text = item.text.map { String($0.prefix(columns * 3 / 2)) }
        for isExpanded in [false, true] {
            let page = Page([item], columns: columns, rows: rows)
            page.play(duration: .seconds(60))
            page.type("v")
            let text = String(repeating: "zebra ", count: 12)
            page.send(.captions("v1", 0, [Cue(start: .zero, end: .seconds(50), text: text)]))
            if isExpanded { page.type("e") }
            page.wait(.seconds(5))
            let before = page.screen.map { $0.contains("zebra") }
            #expect(page.state.view.isExpanded == isExpanded && before.contains(true))
            page.send(.notice(String(repeating: "words ", count: 60), .failure))
            page.wait(.milliseconds(500))
            #expect(page.screen.map { $0.contains("zebra") } == before)
            #expect(page.screen[...2].contains { $0.contains("words") })
        }
    }

    /// It opens to both sides by a few columns at a time, and stays in its row.
    @Test func aToastOpensSmoothly() {
        let page = Page()
        page.play()
        page.send(.notice("a notice of some length, to be read"))
        var widths: [Int] = []
        for _ in 0..<10 {
            let overlay = draw(page.state, now: page.now).overlay
            let rows = (0..<24).filter { row in overlay[40, row].background == page.state.theme.panel }
            #expect(rows.isEmpty || rows == [2])
            widths.append((0..<80).count { overlay[$0, 2].style.contains(.opaque) })
            page.wait(.milliseconds(17))
        }
        #expect(widths == widths.sorted() && widths.first == 0)
        #expect(zip(widths, widths.dropFirst()).allSatisfy { $1 - $0 <= 12 })
        #expect(widths.last == 39)
    }
}
