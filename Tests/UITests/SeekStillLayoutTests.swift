import Model
import Testing

@testable import UI

/// The still of the place under the pointer, above the scrubber.
@Suite struct SeekStillLayoutTests {
    private static let file = Item(
        id: "v1", url: "file:///clips/v1.mp4", title: "A clip with a title", creator: .init(name: "Wen"),
        tags: ["one", "two"])
    private static let remote = Item(id: "v1", url: "https://h.example/v1.mp4", title: "A clip")

    private func page(_ item: Item = file, _ size: (Int, Int) = (120, 40), options: Options = Options()) -> Page {
        let page = Page([item], columns: size.0, rows: size.1, options: options)
        page.play(duration: .seconds(100), picture: PixelSize(width: 72, height: 128))
        return page
    }

    /// Moves the pointer along the scrubber's bar.
    private func point(_ page: Page, at share: Double) -> [Effect] {
        let bar = PageLayout(page.state, index: 0).bar
        return page.mouse(.move, bar.column + Int((Double(bar.columns - 1) * share).rounded()), bar.row)
    }

    private func tile(_ page: Page) -> Scene.Tile? {
        draw(page.state, now: page.now).tiles.first { if case .seekStill = $0.content { true } else { false } }
    }

    @Test func thePlaceUnderThePointerIsRequested() {
        let page = page()
        #expect(point(page, at: 0) == [.makeSeekStill("v1", at: .zero)])
        #expect(point(page, at: 1) == [.makeSeekStill("v1", at: .seconds(100))])
        #expect(page.mouse(.move, 20, 20) == [])
    }

    /// Of a clip that comes over the network only what is cached.
    @Test func nothingIsFetchedForIt() {
        let page = page(Self.remote)
        #expect(point(page, at: 0.5) == [])
        page.send(.player("v1", .cached([0...0.3, 0.45...0.6])))
        #expect(point(page, at: 0) != [] && point(page, at: 0.5) != [])
        #expect(point(page, at: 0.4) == [] && point(page, at: 1) == [])
        // Of several variants another one could be read than the one that is cached.
        page.send(.player("v1", .cached([0...1])))
        let variant = ClipVariant(size: PixelSize(width: 640, height: 360), bitrate: 1_000_000, why: "")
        page.state.clip.facts?.variants = [variant, variant]
        #expect(point(page, at: 0.5) == [])
    }

    /// A still of another place would have the wrong time below it.
    @Test func placeWithoutAStillShowsNone() {
        let page = page(Self.remote)
        page.send(.player("v1", .cached([0...0.3])))
        _ = point(page, at: 0.1)
        page.send(.seekStill("v1", PixelSize(width: 192, height: 108)))
        #expect(tile(page) != nil)
        _ = point(page, at: 0.8)
        #expect(tile(page) == nil)
    }

    @Test func notWhereItCouldNotBeSeen() {
        var options = Options()
        options.color = .mono
        #expect(point(page(options: options), at: 0.5) == [])
        let hidden = page()
        hidden.type("?")
        #expect(point(hidden, at: 0.5) == [])
        let sound = page()
        sound.state.clip.facts?.hasVideo = false
        #expect(point(sound, at: 0.5) == [])
    }

    @Test(arguments: [(80, 24), (120, 40), (200, 60), (60, 90)], [(192, 108), (108, 192), (192, 192), (192, 20)])
    func itIsAboveItsTimeAndTouchesNothing(size: (Int, Int), picture: (Int, Int)) throws {
        let page = page(Self.file, size)
        for tenth in 0...10 {
            _ = point(page, at: Double(tenth) / 10)
            page.send(.seekStill("v1", PixelSize(width: picture.0, height: picture.1)))
            // A strip of a few cells shows nothing.
            guard let frame = tile(page)?.frame else {
                #expect(picture == (192, 20) || size == (60, 90) && picture == (192, 108))
                continue
            }
            let layout = PageLayout(page.state, index: 0)
            let label = try #require(SeekLabel(page.state, layout, now: page.now))
            #expect(frame.row + frame.rows == label.row && frame.row >= 2)
            #expect(frame.column >= 1 && frame.column + frame.columns < size.0)
            let middle = frame.column + frame.columns / 2
            #expect(tenth % 10 == 0 || abs(middle - label.column - label.time.columns / 2) <= frame.columns / 2)
            let shape = Double(frame.columns) / Double(2 * frame.rows) * Double(picture.1) / Double(picture.0)
            #expect((0.8...1.25).contains(shape), "\(frame)")
            for row in frame.row..<(frame.row + frame.rows) {
                let text = page.screen[row].dropFirst(frame.column).prefix(frame.columns)
                #expect(text.allSatisfy { $0 == " " }, "\(text)")
            }
        }
    }

    @Test func stillFollowsThePointer() {
        let page = page()
        page.send(.seekStill("v1", PixelSize(width: 192, height: 108)))
        #expect(tile(page) == nil)
        _ = point(page, at: 0.5)
        #expect(tile(page) != nil)
        page.wait(Pointer.hoverLength)
        #expect(tile(page) == nil)
        // A drag shows the place itself.
        let bar = PageLayout(page.state, index: 0).bar
        _ = point(page, at: 0.5)
        page.mouse(.press(.left), bar.column + 5, bar.row)
        #expect(tile(page) == nil)
    }
}
