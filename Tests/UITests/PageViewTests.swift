import Model
import Testing

@testable import UI

@Suite struct PageViewTests {
    @Test func sameActionOpensAndClosesASheet() {
        var view = PageView()
        view.toggle(.help)
        view.go(to: 7)
        view.toggle(.topics)
        #expect(view.sheet == .topics && view.line == 0)
        view.toggle(.topics)
        #expect(view.sheet == nil)
        view.open(.topics)
        view.open(.topics)
        #expect(view.sheet == .topics)
    }

    @Test func linesStayInTheSheet() {
        var view = PageView()
        view.scroll(by: 5, last: 3)
        #expect(view.line == 3)
        view.scroll(by: -9, last: 3)
        #expect(view.line == 0)
    }

    @Test func menuKeepsItsPlace() {
        var view = PageView()
        view.toggleMenu(at: .button)
        #expect(view.sheet == .menu && view.menuPlace == .button)
        view.toggleMenu(at: .rail)
        #expect(view.sheet == nil && view.menuPlace == .rail)
    }

    @Test func captionIsWholeInItsPlaceOrInASheet() {
        var view = PageView()
        view.expand(true)
        view.choose(link: 2)
        view.toggleCaption()
        #expect(view.sheet == .caption && !view.isExpanded && view.link == nil)
    }

    @Test func hintIsShownForItsLengthUnlessASheetOpens() {
        var view = PageView()
        view.showHint(isFirst: true, now: .seconds(1))
        let end = Duration.seconds(1) + PageView.hintLength
        view.hideHint(at: end - .milliseconds(1))
        #expect(view.hint?.isFirst == true && view.hint?.until == end)
        view.hideHint(at: end)
        #expect(view.hint == nil)
        view.showHint(isFirst: false, now: .seconds(1))
        view.toggle(.help)
        #expect(view.hint == nil)
    }

    @Test func anotherPageStartsAtItsBeginning() {
        var view = PageView()
        view.open(.topics)
        view.go(to: 2)
        view.expand(true)
        view.scrollChips(by: 4, of: 9)
        #expect(view.firstChip == 4)
        view.arrive()
        #expect(view.sheet == nil && view.line == 0 && !view.isExpanded && view.firstChip == 0)
    }

    @Test func topicsEndWithTheLast() {
        var view = PageView()
        view.scrollChips(by: 40, of: 9)
        #expect(view.firstChip == 8)
        view.scrollChips(by: -40, of: 9)
        #expect(view.firstChip == 0)
    }

    /// Laying out a long description takes a while.
    @Test func captionIsLaidOutOnceForEachWidth() {
        var view = PageView()
        let item = Item(id: "a", url: "file:///a.mp4", title: "Tide", text: "It comes and goes, twice a day.")
        let content = PageContent(item)
        let source = view.captionText(of: content, columns: 20, isCovered: false).source
        var other = content
        other.title = GlyphLine("Another")
        view.keep(CaptionText(other, source: source))
        #expect(view.captionText(of: content, columns: 20, isCovered: false).text.text.hasPrefix("Another"))
        #expect(view.captionText(of: content, columns: 21, isCovered: false).text.text.hasPrefix("Tide"))
        view.keep(nil)
        #expect(view.captionText(of: content, columns: 20, isCovered: false).text.text.hasPrefix("Tide"))
    }
}
