import Model
import Player
import Screen
import TermGraphics
import UI

/// Turns scenes into bytes on the terminal: composes pictures and overlay, lets the painter paint what changed, and
/// writes that. Main thread.
@MainActor
final class Presenter {
    private let terminal: Terminal
    private var canvas: Canvas
    private var painter: any Painter
    private var painterNeeds: Terminal.PainterNeeds
    private var bytes = ByteBuffer()
    private var backdrops: [Item.ID: PacedBackdrop] = [:]
    /// The pictures of tiles in view, and what they were made of.
    private var tiles: [Scene.Tile.Content: (of: PictureIdentity, picture: Picture)] = [:]
    /// The pixels of one cell before the picture mode changed, and the first generation of pictures made for this one.
    private var former: (samples: PixelSize, until: UInt32)?

    init(terminal: Terminal) {
        self.terminal = terminal
        painterNeeds = terminal.painterNeeds
        painter = terminal.makePainter()
        canvas = Self.canvas(for: terminal, painter)
    }

    private static func canvas(for terminal: Terminal, _ painter: any Painter) -> Canvas {
        Canvas(
            size: terminal.size, pictures: painter.pictures, color: terminal.capabilities.color,
            hasBrightGrounds: painter.hasBrightGrounds)
    }

    /// Whether the last update is not fully written yet: then there is no point in making another.
    var isBusy: Bool { terminal.isBusy }

    /// How pictures are drawn now.
    var pictures: PictureFormat { painter.pictures }

    /// Another program wrote on the screen, so the next update paints all of it.
    func startOver() {
        terminalChanged()
        painter.forget()
    }

    /// The terminal has a new size, or has reported more capabilities. Only a new size, new colours or other pictures
    /// cause a full repaint.
    func terminalChanged() {
        let capabilities = terminal.capabilities
        let before = pictures
        if terminal.painterNeeds != painterNeeds {
            painterNeeds = terminal.painterNeeds
            painter = terminal.makePainter()
            canvas = Self.canvas(for: terminal, painter)
            if pictures.samplesPerCell != before.samplesPerCell { former = (before.samplesPerCell, .max) }
        } else {
            painter.isSynchronised = capabilities.hasSynchronisedUpdate
        }
    }

    /// Pictures of this generation, and later ones, are made for the picture mode of now.
    func asked(for generation: UInt32) { if former?.until == .max { former?.until = generation } }

    /// Lends a picture as the picture mode of now needs it: those that were made for another one are stretched, so that
    /// the page looks the same until others come.
    func withFitting<Result>(_ picture: PictureView, _ identity: PictureIdentity, _ body: (PictureView) -> Result)
        -> Result
    {
        guard let former, identity.generation < former.until else { return body(picture) }
        return Picture(stretching: picture, from: former.samples, to: pictures.samplesPerCell).withView(body)
    }

    /// Lends the backdrop of a page that has one, renewed from its `picture` if it is time.
    func withBackdrop<Result>(
        of page: Scene.Page, _ picture: PictureView, now: Duration, _ body: (PictureView?) -> Result
    ) -> Result {
        guard page.hasBackdrop else { return body(nil) }
        // Cells of one colour each cost few bytes; where pixels are sent, they would be seen.
        let grain = pictures.mode.hasPixels ? PixelSize(width: 1, height: 1) : pictures.samplesPerCell
        let size = pictures.pictureSize(for: canvas.size)
        if backdrops[page.item]?.backdrop.size != size { backdrops[page.item] = PacedBackdrop(page: size) }
        backdrops[page.item]?.follow(picture, cell: grain, isMoving: page.top != 0, now: now)
        return backdrops[page.item]?.backdrop.withView(body) ?? body(nil)
    }

    /// The picture of a tile, rendered again if it has changed.
    func tile(_ tile: Scene.Tile, _ identity: PictureIdentity, _ picture: PictureView) -> Picture {
        let frame = GridSize(columns: tile.frame.columns, rows: tile.frame.rows)
        let size = pictures.pictureSize(for: frame)
        if let known = tiles[tile.content], known.of == identity, known.picture.size == size { return known.picture }
        var pixel = PixelSize(width: 1, height: 1)
        // Stills of items are made for the terminal's pixels, which need not be square; the others for all terminals.
        switch tile.content {
        case .still: break
        case .avatar, .seekStill:
            let cell = terminal.cellPixels ?? PixelSize(width: 1, height: 2)
            let samples = pictures.samplesPerCell
            pixel = PixelSize(width: cell.width * samples.height, height: cell.height * samples.width)
        }
        let covering = Picture(covering: size, with: picture, pixel: pixel)
        tiles[tile.content] = (identity, covering)
        return covering
    }

    /// Shows a scene, as close to it as `precision` asks. Returns what was written.
    ///
    /// - Parameters:
    ///   - budget: in bytes.
    ///   - questions: when to ask the terminal what it has received.
    func present(
        _ scene: Scene, pictures: [PagePicture], tiles: [TilePicture] = [], within budget: Int,
        precision: Precision, questions: OutputPacer.Questions
    ) -> PaintStats {
        let isInView = { (item: Item.ID) in scene.pages.contains { $0.item == item } }
        if !backdrops.keys.allSatisfy(isInView) { backdrops = backdrops.filter { isInView($0.key) } }
        if self.tiles.count > tiles.count {
            let shown = Set(scene.tiles.map(\.content))
            self.tiles = self.tiles.filter { shown.contains($0.key) }
        }
        let heart = scene.heart.map { heart in
            HeartShape(
                at: heart.at, columns: heart.columns, color: heart.color,
                opacity: UInt8((heart.opacity * 255).rounded()), rows: heart.rows)
        }
        let arcs = scene.arcs.map { arc in
            ArcShape(
                in: arc.frame, share: arc.share, left: arc.left, top: arc.top, right: arc.right,
                missing: arc.missing, rows: arc.rows)
        }
        canvas.compose(
            pages: pictures, tiles: tiles, arcs: arcs, heart: heart, pageSize: scene.pageSize, overlay: scene.overlay,
            background: scene.background)
        bytes.removeAll()
        let figures = painter.paint(canvas, within: budget, precision: precision, into: &bytes)
        guard figures.bytes > 0 else { return figures }
        if questions == .beforeAndBehind { terminal.askForStatus() }
        bytes.withUnsafeBytes { terminal.write($0) }
        if questions != .none { terminal.askForStatus() }
        return figures
    }
}

/// A page's backdrop, which follows its picture seldom: updates cost bytes, and it is not what the user looks at. A
/// value; the caller passes the time.
struct PacedBackdrop {
    static let interval = Duration.milliseconds(250)

    private(set) var backdrop: Backdrop
    private var followedAt: Duration?

    init(page: PixelSize) { backdrop = Backdrop(page: page) }

    /// Renews the backdrop from its page's picture, if it is time.
    ///
    /// - Parameter isMoving: whether the page moves: then every cell is written
    ///   anyway, and the backdrop stays as it is.
    mutating func follow(_ picture: PictureView, cell: PixelSize, isMoving: Bool, now: Duration) {
        if let followedAt, isMoving || now < followedAt + Self.interval { return }
        backdrop.renew(from: picture, cell: cell)
        followedAt = now
    }
}
