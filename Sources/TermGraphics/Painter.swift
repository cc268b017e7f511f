import Model

/// The cost and the result of one update.
public struct PaintStats: Hashable, Sendable {
    public var bytes: Int
    /// Cells that look different than before.
    public var cells: Int
    /// The terminal will show the whole canvas, exactly. Otherwise precision or budget left something out: paint the
    /// canvas again, exactly, to show it.
    public var isExact: Bool
    /// The tolerance in the end: that of the precision, or more where the budget made it coarser
    /// (`Precision.tolerance`).
    public var tolerance: Double

    public init(bytes: Int = 0, cells: Int = 0, isExact: Bool = true, tolerance: Double = 0) {
        self.bytes = bytes
        self.cells = cells
        self.isExact = isExact
        self.tolerance = tolerance
    }
}

/// Puts canvases on a terminal of one size: the interface between
/// the page's content and the terminal's means of showing it.
///
/// A painter knows what the terminal shows, so any other code that writes there must call `forget`.
/// It makes bytes and sends none: everything goes out through one writer. Belongs to one thread.
public protocol Painter: AnyObject {
    var size: GridSize { get }

    /// What the canvases that it paints are made for: `Canvas.pictures`.
    var pictures: PictureFormat { get }

    /// Whether, of 16 colours, the background of a character can be one of the bright eight. A canvas for this painter
    /// is made so (`Canvas.init`).
    var hasBrightGrounds: Bool { get }

    /// Whether the terminal holds an update back until all of it has come (mode 2026). Known only once it has said so.
    var isSynchronised: Bool { get set }

    /// Appends the bytes that turn the screen into `canvas`, which is of the
    /// painter's size; none, if it shows it already.
    ///
    /// - Parameters:
    ///   - budget: the most bytes to append. What finds no room stays as it was, and comes first the next time; a row
    ///     is painted even
    ///     where one alone exceeds the budget.
    ///   - precision: how close the screen has to come to the canvas. A painter may be closer.
    func paint(
        _ canvas: borrowing Canvas, within budget: Int, precision: Precision, into buffer: inout ByteBuffer
    ) -> PaintStats

    /// Forgets the screen's content: the next update paints all of it.
    func forget()
}

/// The known properties of a terminal that shows sixels.
public struct SixelCapabilities: Hashable, Sendable {
    /// A cell in pixels.
    public var cell: PixelSize
    /// How many colours a picture may have.
    public var colors: Int
    /// The most pixels of one picture, across and down.
    public var limit: PixelSize

    public init(cell: PixelSize, colors: Int, limit: PixelSize) {
        (self.cell, self.colors, self.limit) = (cell, colors, limit)
    }
}

/// Draws the pixels of a canvas as sixels, and the text over them.
public func sixelPainter(
    size: GridSize, pictures: PictureFormat, capabilities: EncoderCapabilities, sixel: SixelCapabilities
) -> any Painter {
    DrawnPainter(
        size: size, pictures: pictures, capabilities: capabilities,
        drawing: SixelPictures(
            grid: size, cell: sixel.cell, samples: pictures.samplesPerCell, colors: sixel.colors, limit: sixel.limit))
}

/// Sends the pixels of a canvas as files (OSC 1337), and the text over them.
public func inlinePainter(
    size: GridSize, pictures: PictureFormat, capabilities: EncoderCapabilities
) -> any Painter {
    DrawnPainter(
        size: size, pictures: pictures, capabilities: capabilities,
        drawing: InlinePictures(grid: size, samples: pictures.samplesPerCell))
}

/// The bytes around an update that the terminal is to show at once (mode 2026, "Synchronized Output").
public enum SynchronisedUpdate {
    public static let begin: StaticString = "\u{1B}[?2026h"
    public static let end: StaticString = "\u{1B}[?2026l"
    /// What both add to an update.
    public static let bytes = begin.utf8CodeUnitCount + end.utf8CodeUnitCount
}

/// Writes ECMA-48 by itself, with the fewest bytes it can find (`Encoder`).
public final class DirectPainter: Painter {
    private var encoder: Encoder
    public let pictures: PictureFormat
    /// ECMA-48 terminals of 16 colours have them (SGR 100 to 107).
    public let hasBrightGrounds = true

    public init(size: GridSize, pictures: PictureFormat, capabilities: EncoderCapabilities) {
        encoder = Encoder(size: size, capabilities: capabilities)
        self.pictures = pictures
    }

    public var size: GridSize { encoder.size }

    public var isSynchronised: Bool {
        get { encoder.capabilities.synchronised }
        set { encoder.capabilities.synchronised = newValue }
    }

    public func paint(
        _ canvas: borrowing Canvas, within budget: Int, precision: Precision, into buffer: inout ByteBuffer
    ) -> PaintStats {
        encoder.encode(canvas, into: &buffer, within: budget, precision: precision)
    }

    public func forget() { encoder.forget() }
}
