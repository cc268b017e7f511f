import Foundation
import Model
import Screen
import TermGraphics
import TestSupport
import Testing
import UI

@testable import App
@testable import Player

private func picture(_ color: UInt32, _ size: PixelSize = PixelSize(width: 8, height: 8)) -> Picture {
    Picture(size: size, pixels: Array(repeating: color, count: size.width * size.height))
}

/// The color that a backdrop of one color has.
private func backdropColor(of color: UInt32) -> UInt32? {
    var backdrop = Backdrop(page: PixelSize(width: 8, height: 8))
    picture(color).withView { backdrop.renew(from: $0, cell: PixelSize(width: 1, height: 2)) }
    return backdrop.withView { view in view.map { $0.pixels[0] } }
}

@Suite struct PacedBackdropTests {
    private func follow(_ color: UInt32, _ paced: inout PacedBackdrop, isMoving: Bool = false, at milliseconds: Int)
        -> UInt32?
    {
        picture(color).withView {
            paced.follow(
                $0, cell: PixelSize(width: 1, height: 2), isMoving: isMoving, now: .milliseconds(milliseconds))
        }
        return paced.backdrop.withView { view in view.map { $0.pixels[0] } }
    }

    @Test func backdropFollowsItsPictureFourTimesASecond() throws {
        let (white, gray, black) = (0xFF_FFFF as UInt32, 0x80_8080 as UInt32, 0 as UInt32)
        let colors = try [white, gray, black].map { try #require(backdropColor(of: $0)) }
        #expect(Set(colors).count == 3)
        var paced = PacedBackdrop(page: PixelSize(width: 8, height: 8))
        let seen = [
            follow(white, &paced, at: 1_000), follow(gray, &paced, at: 1_249), follow(gray, &paced, at: 1_250),
            follow(black, &paced, at: 1_499), follow(black, &paced, at: 1_500),
        ]
        #expect(seen == [colors[0], colors[0], colors[1], colors[1], colors[2]])
    }

    @Test func backdropOfAMovingPageStays() {
        var paced = PacedBackdrop(page: PixelSize(width: 8, height: 8))
        // A page without one gets it even while it moves.
        let first = follow(0xFF_FFFF, &paced, isMoving: true, at: 0)
        #expect(first == backdropColor(of: 0xFF_FFFF))
        let moving = follow(0, &paced, isMoving: true, at: 1_000)
        #expect(moving == first)
        let resting = follow(0, &paced, at: 1_000)
        #expect(resting == backdropColor(of: 0))
    }
}

/// How scenes become bytes on a terminal.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct PresenterTests {
    /// A stage whose loop does not run: its terminal is the test's.
    private func stage(pictureMode: PictureMode? = nil) throws -> LoopStage {
        let stage = try LoopStage(answers: false, pictureMode: pictureMode)
        _ = stage.takeWritten()
        return stage
    }

    /// Has the terminal handle an answer.
    private func answer(_ reply: String, on stage: LoopStage) throws {
        try stage.type(reply)
        _ = stage.terminal.events(now: .zero)
    }

    private func identity(_ item: Item.ID, number: Int = 1, generation: UInt32 = 1) -> PictureIdentity {
        PictureIdentity(
            item: item, mediaTime: .zero, isStill: false, isCorrupt: false, generation: generation, life: 1,
            number: number, pts: 0)
    }

    private func scene(_ stage: LoopStage, _ background: RGB, pages: [Item.ID] = [], tiles: [Scene.Tile] = []) -> Scene
    {
        var scene = Scene(
            pages: pages.map { Scene.Page(item: $0, top: 0) }, pageSize: stage.terminal.size,
            overlay: CellGrid(size: stage.terminal.size), background: background)
        scene.tiles = tiles
        return scene
    }

    @discardableResult
    private func present(
        _ scene: Scene, on presenter: Presenter, asking questions: OutputPacer.Questions = .none
    ) -> PaintStats {
        let tiles = scene.tiles.map { TilePicture(picture: nil, frame: $0.frame, ground: .black) }
        return presenter.present(
            scene, pictures: [], tiles: tiles, within: .max, precision: .exact, questions: questions)
    }

    /// The bytes that the terminal is sent, once they are `complete`.
    private func written(_ stage: LoopStage, until complete: (String) -> Bool) -> String {
        var bytes: [UInt8] = []
        #expect(
            holds(within: .seconds(10)) {
                bytes += stage.pty.writtenBytes()
                return complete(String(decoding: bytes, as: UTF8.self))
            })
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Updates

    @Test func questionsAreAskedAroundTheBytesOfAnUpdate() throws {
        let stage = try stage()
        defer { stage.close() }
        let presenter = Presenter(terminal: stage.terminal)
        present(scene(stage, RGB(10, 0, 0)), on: presenter, asking: .none)
        present(scene(stage, RGB(0, 20, 0)), on: presenter, asking: .behind)
        // Nothing has changed: there is nothing to ask about.
        #expect(present(scene(stage, RGB(0, 20, 0)), on: presenter, asking: .beforeAndBehind).bytes == 0)
        present(scene(stage, RGB(0, 0, 30)), on: presenter, asking: .beforeAndBehind)
        // Two updates, a question; a question, an update, a question.
        func parts(_ text: String) -> [Bool] { text.components(separatedBy: "\u{1B}[5n").map(\.isEmpty) }
        _ = written(stage) { parts($0) == [false, true, false, true] }
    }

    @Test func screenIsPaintedAgainOnlyIfItsCellsAreLost() throws {
        let stage = try stage()
        defer { stage.close() }
        let presenter = Presenter(terminal: stage.terminal)
        let scene = scene(stage, RGB(10, 0, 0))
        #expect(present(scene, on: presenter).bytes > 0)
        presenter.terminalChanged()
        #expect(present(scene, on: presenter).bytes == 0)
        presenter.startOver()
        #expect(present(scene, on: presenter).bytes > 0)
    }

    @Test func updatesAreSynchronizedOnceTheTerminalSupportsThat() throws {
        let stage = try stage()
        defer { stage.close() }
        let presenter = Presenter(terminal: stage.terminal)
        let begin = "\u{1B}[?2026h"
        present(scene(stage, RGB(10, 0, 0)), on: presenter)
        try answer("\u{1B}[?2026;2$y", on: stage)
        presenter.terminalChanged()
        present(scene(stage, RGB(0, 20, 0)), on: presenter, asking: .behind)
        let text = written(stage) { $0.hasSuffix("\u{1B}[5n") }
        #expect(text.components(separatedBy: begin).count == 2)
    }

    // MARK: Pictures of a former mode

    @Test func picturesOfAFormerModeAreStretchedUntilOthersAreRequested() throws {
        let stage = try stage(pictureMode: .octant)
        defer { stage.close() }
        let presenter = Presenter(terminal: stage.terminal)
        let former = presenter.pictures.samplesPerCell
        let made = picture(1, PixelSize(width: former.width * 2, height: former.height * 2))
        func size(_ generation: UInt32) -> PixelSize {
            made.withView { view in
                presenter.withFitting(view, identity("a", generation: generation)) { $0.size }
            }
        }
        // Nothing was former yet.
        presenter.asked(for: 3)
        #expect(size(2) == made.size)
        try answer("\u{1B}[3;1R", on: stage)
        presenter.terminalChanged()
        let samples = presenter.pictures.samplesPerCell
        let stretched = PixelSize(width: samples.width * 2, height: samples.height * 2)
        #expect(samples != former && size(9) == stretched)
        presenter.asked(for: 5)
        #expect(size(4) == stretched && size(5) == made.size)
        // Later requests are for the same mode.
        presenter.asked(for: 7)
        #expect(size(6) == made.size)
    }

    // MARK: Backdrops

    private func backdrop(
        _ presenter: Presenter, of item: Item.ID, top: Double = 0, has: Bool = true, color: UInt32, at now: Duration
    ) -> UInt32? {
        picture(color).withView { view in
            let page = Scene.Page(item: item, top: top, hasBackdrop: has)
            return presenter.withBackdrop(of: page, view, now: now) { view in view.map { $0.pixels[0] } }
        }
    }

    @Test func eachPageHasItsOwnBackdropWhileItIsInView() throws {
        let stage = try stage()
        defer { stage.close() }
        let presenter = Presenter(terminal: stage.terminal)
        let (white, gray) = (backdropColor(of: 0xFF_FFFF), backdropColor(of: 0x80_8080))
        #expect(backdrop(presenter, of: "a", has: false, color: 0xFF_FFFF, at: .zero) == nil)
        #expect(backdrop(presenter, of: "a", color: 0xFF_FFFF, at: .zero) == white)
        #expect(backdrop(presenter, of: "b", color: 0x80_8080, at: .zero) == gray)
        // A page that is pulled away keeps what it has.
        #expect(backdrop(presenter, of: "a", top: -3, color: 0, at: .seconds(1)) == white)
        present(scene(stage, .black, pages: ["b"]), on: presenter)
        // That of the page that has gone is made again, at once; the other is not due yet.
        #expect(backdrop(presenter, of: "a", color: 0x80_8080, at: .milliseconds(100)) == gray)
        #expect(backdrop(presenter, of: "b", color: 0xFF_FFFF, at: .milliseconds(100)) == gray)
        #expect(backdrop(presenter, of: "b", color: 0xFF_FFFF, at: .milliseconds(250)) == white)
    }

    // MARK: Tiles

    private func tile(_ content: Scene.Tile.Content, columns: Int = 8) -> Scene.Tile {
        Scene.Tile(content, frame: GridRect(column: 2, row: 2, columns: columns, rows: 4))
    }

    @Test func tileIsMadeAgainForAnotherPictureOrSize() throws {
        let stage = try stage()
        defer { stage.close() }
        let presenter = Presenter(terminal: stage.terminal)
        func shown(_ tile: Scene.Tile, _ number: Int, _ color: UInt32) -> Picture {
            picture(color).withView { presenter.tile(tile, identity("a", number: number), $0) }
        }
        let size = presenter.pictures.pictureSize(for: GridSize(columns: 8, rows: 4))
        #expect(shown(tile(.still("a")), 1, 0x11) == picture(0x11, size))
        // The same picture of the same tile is not looked at again; another tile's is its own.
        #expect(shown(tile(.still("a")), 1, 0x22) == picture(0x11, size))
        #expect(shown(tile(.seekStill("a")), 1, 0x33) == picture(0x33, size))
        #expect(shown(tile(.still("a")), 2, 0x44) == picture(0x44, size))
        let wide = presenter.pictures.pictureSize(for: GridSize(columns: 10, rows: 4))
        #expect(shown(tile(.still("a"), columns: 10), 2, 0x55) == picture(0x55, wide))
    }

    @Test func tileOutOfViewIsForgotten() throws {
        let stage = try stage()
        defer { stage.close() }
        let presenter = Presenter(terminal: stage.terminal)
        func color(_ item: Item.ID, _ color: UInt32) -> UInt32 {
            picture(color).withView { presenter.tile(tile(.still(item)), identity(item), $0) }.pixels[0]
        }
        #expect(color("a", 0x11) == 0x11 && color("b", 0x22) == 0x22)
        present(scene(stage, .black, tiles: [tile(.still("b"))]), on: presenter)
        #expect(color("a", 0x33) == 0x33 && color("b", 0x44) == 0x22)
    }

    /// Stills are made for the terminal's pixels, avatars for square ones.
    @Test func avatarsAndSeekStillsKeepTheirShapeInCellsThatAreNotTwiceAsHighAsWide() throws {
        let stage = try stage()
        defer { stage.close() }
        try answer("\u{1B}[6;20;11t", on: stage)
        #expect(stage.terminal.cellPixels == PixelSize(width: 11, height: 20))
        let presenter = Presenter(terminal: stage.terminal)
        let samples = presenter.pictures.samplesPerCell
        let size = presenter.pictures.pictureSize(for: GridSize(columns: 8, rows: 4))
        // Each pixel has its own color.
        let source = Picture(size: PixelSize(width: 60, height: 60), pixels: (0..<3_600).map { UInt32($0) * 16 })
        let cell = PixelSize(width: 11 * samples.height, height: 20 * samples.width)
        let (square, shaped) = source.withView {
            (Picture(covering: size, with: $0), Picture(covering: size, with: $0, pixel: cell))
        }
        #expect(square != shaped)
        for (content, expected) in [
            (Scene.Tile.Content.still("a"), square), (.seekStill("a"), shaped), (.avatar("a"), shaped),
        ] {
            let shown = source.withView { presenter.tile(tile(content), identity("a"), $0) }
            #expect(shown == expected, "\(content)")
        }
    }
}
