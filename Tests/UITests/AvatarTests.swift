import Model
import Testing

@testable import UI

/// Where creators' avatars stand, and what stands there without one.
struct AvatarTests {
    private static let address = "https://example.org/mira.jpg"

    private func page(
        _ columns: Int, _ rows: Int, picture: PixelSize? = nil, mode: PictureMode = .half,
        color: ColorMode = .truecolor, change: (inout Item) -> Void = { _ in }
    ) -> Page {
        var items = Page.feed
        items[0].creator?.avatar = Self.address
        change(&items[0])
        var options = Options()
        (options.pictureMode, options.color) = (mode, color)
        let page = Page(items, columns: columns, rows: rows, options: options)
        page.play(picture: picture)
        return page
    }

    private func layout(_ page: Page) -> PageLayout { PageLayout(page.state, index: page.state.current) }

    private func tiles(_ page: Page) -> [Scene.Tile] { draw(page.state, now: page.now).tiles }

    /// The page without an avatar's address.
    private func plain(_ columns: Int, _ rows: Int, picture: PixelSize? = nil) -> PageLayout {
        layout(page(columns, rows, picture: picture) { $0.creator?.avatar = nil })
    }

    /// Over the picture: beside the name and the caption's first line, where enough columns are left for words.
    @Test(arguments: [(80, 24), (120, 40), (60, 50)])
    func avatarIsBesideNameAndCaption(columns: Int, rows: Int) throws {
        let layout = layout(page(columns, rows))
        let avatar = try #require(layout.avatar)
        #expect((avatar.columns, avatar.rows) == (4, 2) && layout.avatarPicture == avatar)
        #expect(avatar.row == layout.name.row && layout.name.row + 1 == layout.caption.row)
        #expect(layout.name.column == avatar.column + 5 && layout.caption.column == avatar.column + 5)
        let caption = page(columns, rows).state.content(of: 0).caption
        #expect(layout.captionLines.allSatisfy { caption.slice($0).columns <= layout.caption.columns })
        // No row is lost or won by it.
        let plain = plain(columns, rows)
        #expect(plain.name.row == layout.name.row && plain.caption.rows == layout.caption.rows)
        #expect(plain.avatar?.columns == 3 && plain.avatarPicture == nil)
    }

    /// Beside the picture: beside the name and the button below it, and the caption keeps its columns.
    @Test func besideThePictureItStandsBesideNameAndButton() throws {
        let portrait = PixelSize(width: 60, height: 120)
        let (with, without) = (layout(page(200, 60, picture: portrait)), plain(200, 60, picture: portrait))
        let (avatar, follow) = (try #require(with.avatar), try #require(with.follow))
        #expect(with.isTextBeside && avatar.rows == 2 && avatar.columns == 4)
        #expect(follow.row == avatar.row + 1 && follow.column == avatar.column + 5)
        #expect(with.caption == without.caption && with.name.row == without.name.row)
    }

    /// The initial stays where words need the columns, where there is no second line, and where avatars could not be
    /// recognized.
    @Test func withoutRoomTheInitialStays() {
        let narrow = layout(page(40, 12))
        #expect(narrow.avatar?.columns == 3 && narrow.avatarPicture == nil && narrow.caption == plain(40, 12).caption)
        let silent = layout(page(80, 24) { ($0.title, $0.text) = ("Mira Okafor", nil) })
        #expect(silent.caption.rows == 0 && silent.avatarPicture == nil && silent.avatar?.rows == 1)
        for (mode, color) in [
            (PictureMode.ascii, ColorMode.truecolor), (.half, .mono), (.half, .palette16), (.braille, .truecolor),
        ] {
            #expect(layout(page(80, 24, mode: mode, color: color)).avatarPicture == nil)
        }
    }

    /// A square of pixels fits one row.
    @Test func pixelsShowItInOneRowToo() throws {
        let layout = layout(page(40, 12, mode: .kitty))
        let picture = try #require(layout.avatarPicture)
        #expect((picture.columns, picture.rows) == (2, 1) && layout.avatar?.columns == 3)
        #expect(layout.name == plain(40, 12).name)
    }

    @Test func theInitialStandsThereUntilItComesAndNothingMoves() throws {
        let page = page(80, 24)
        let before = (layout(page), page.screen)
        let name = before.0.name
        #expect(tiles(page).isEmpty && before.1[name.row].contains(" M   Mira Okafor"))
        page.send(.avatars(["https://example.org/another.jpg"]))
        #expect(tiles(page).isEmpty && page.screen == before.1)
        page.send(.avatars([Self.address]))
        #expect(tiles(page) == [Scene.Tile(.avatar(Self.address), frame: before.0.avatar!, rows: 1..<23)])
        #expect(page.screen[name.row] == before.1[name.row].replacing(" M   Mira", with: "     Mira"))
        #expect(page.screen.enumerated().allSatisfy { $0 == name.row || $1 == before.1[$0] })
        // It went: the initial again.
        page.send(.avatars([]))
        #expect(tiles(page).isEmpty && page.screen == before.1)
    }

    /// It moves with its page, and not over the top row and the scrubber.
    @Test func avatarMovesWithItsPage() throws {
        let page = page(80, 24)
        page.send(.avatars([Self.address]))
        let frame = try #require(layout(page).avatar)
        page.press(.down)
        page.wait(.milliseconds(60))
        let tile = try #require(tiles(page).first)
        #expect(page.state.pager.isMoving && tile.frame.row < frame.row && tile.frame.column == frame.column)
        #expect(tile.rows == 1..<23)
        page.wait(.seconds(2))
        #expect(tiles(page).isEmpty)
    }

    @Test func aSheetHidesItAndAFieldTakesItsPlace() {
        let page = page(60, 50)
        page.send(.avatars([Self.address]))
        page.type("e")
        #expect(tiles(page).first?.shade == 0)
        // A low sheet, below the name, hides the text as a whole.
        page.type("T")
        #expect(tiles(page).isEmpty)
        page.press(.escape)
        page.type("?")
        #expect(tiles(page).isEmpty)
        page.press(.escape)
        page.send(.service(takesComments: true))
        page.type(":")
        #expect(page.state.typing != nil && tiles(page).isEmpty)
    }

    @Test func aClickOnItLeadsToTheCreator() throws {
        let page = page(80, 24) { $0.creator?.id = "c7" }
        let avatar = try #require(layout(page).avatar)
        page.mouse(.press(.left), avatar.column + 3, avatar.row + 1)
        let effects = page.mouse(.release(.left), avatar.column + 3, avatar.row + 1)
        #expect(effects == [.openPart(.creator(key: "c7", id: "c7", name: "Mira Okafor"))])
    }

    /// The ground of a caption on a solid block leaves the avatar's cells to its picture, and surrounds them.
    @Test func avatarStandsWholeOnASolidGround() throws {
        var items = Page.feed
        items[0].creator?.avatar = Self.address
        var options = Options()
        options.fit = .fill
        let page = Page(items, options: options)
        page.play()
        page.send(.avatars([Self.address]))
        let frame = try #require(tiles(page).first?.frame)
        let overlay = draw(page.state, now: page.now).overlay
        for row in frame.row..<(frame.row + frame.rows) {
            for column in (frame.column - 1)...(frame.column + frame.columns) {
                let isInside = frame.contains(GridPoint(column: column, row: row))
                #expect(overlay[column, row].style.contains(.opaque) != isInside, "\(column), \(row)")
            }
        }
    }

    /// Where text stands on a solid ground, blank cells beside a creator's letter have that ground.
    @Test(arguments: [(80, 24), (40, 12)]) func letterDoesNotGrowOnASolidGround(columns: Int, rows: Int) {
        var options = Options()
        options.theme = .highContrast
        let page = Page(columns: columns, rows: rows, options: options)
        page.play()
        let overlay = draw(page.state, now: page.now).overlay
        let sign = RGB(packed: 0x5A5FA0)
        let rowsOfSign = (0..<rows).map { row in (0..<columns).filter { overlay[$0, row].background == sign } }
        let found = rowsOfSign.filter { !$0.isEmpty }
        #expect(found.map(\.count) == [3] && found.first?.first == PageLayout(page.state, index: 0).text.column)
    }
}
