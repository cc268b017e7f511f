import Model

/// What is visible: pictures, and the overlay that lies over them. `draw` makes it from `State` alone. A value.
public struct Scene: Sendable, Equatable {
    /// Where a page's picture goes. Its size in cells is always `pageSize`; parts outside the terminal are clipped.
    public struct Page: Sendable, Equatable {
        public var item: Item.ID
        /// Rows from the terminal's top to the page's top: 0 while nothing moves, a fraction while pages do.
        public var top: Double
        /// How much of the background is blended over the picture: 0 shows the picture, 1 hides it.
        public var cover: Double
        /// Whether a blurred copy of the picture fills the rest of the page.
        public var hasBackdrop: Bool

        public init(item: Item.ID, top: Double, cover: Double = 0, hasBackdrop: Bool = false) {
            self.item = item
            self.top = top
            self.cover = cover
            self.hasBackdrop = hasBackdrop
        }
    }

    /// A small picture. It covers its frame, and is cropped to that around its middle.
    public struct Tile: Sendable, Equatable {
        public enum Content: Sendable, Hashable {
            /// An item's still, in a grid of them.
            case still(Item.ID)
            /// A creator's avatar, by its address. It lies over the page: text beside it does not darken it.
            case avatar(String)
            /// The newest small still of a place in an item's clip. It lies over the page, with a thin frame.
            case seekStill(Item.ID)
        }

        public var content: Content
        public var frame: GridRect
        /// The rows of the terminal in which it may be seen.
        public var rows: Range<Int>
        /// How much it is darkened: 0 … 255.
        public var shade: UInt8

        public init(_ content: Content, frame: GridRect, rows: Range<Int> = 0..<Int.max, shade: UInt8 = 0) {
            (self.content, self.frame, self.rows, self.shade) = (content, frame, rows, shade)
        }
    }

    /// A heart over the pictures, where the terminal has pixels. Elsewhere it is part of the overlay.
    public struct Heart: Sendable, Equatable {
        /// The cell in its middle.
        public var at: GridPoint
        /// How many cells it is wide.
        public var columns: Double
        /// 0 … 1.
        public var opacity: Double
        public var color: RGB
        /// The rows of the terminal in which it may be seen.
        public var rows: Range<Int>
    }

    /// The arc of a trust score over the pictures, where the terminal has pixels: a half circle, filled from the left
    /// on. Elsewhere it is part of the overlay.
    public struct Arc: Sendable, Equatable {
        public var frame: GridRect
        /// 0 … 1.
        public var share: Double
        /// At the left, at the top and at the right, with gradients between them.
        public var left: RGB
        public var top: RGB
        public var right: RGB
        /// The colour of what is not filled.
        public var missing: RGB
        /// The rows of the terminal in which it may be seen.
        public var rows: Range<Int>
    }

    public var pages: [Page]
    public var tiles: [Tile] = []
    public var arcs: [Arc] = []
    public var heart: Heart?
    /// The colour of a tile without a still.
    public var tileGround = RGB.black
    /// The height of a page in rows; locked while pages move.
    public var pageSize: GridSize
    public var overlay: CellGrid
    /// The colour where there is no picture.
    public var background: RGB

    public init(pages: [Page], pageSize: GridSize, overlay: CellGrid, background: RGB = .black) {
        self.pages = pages
        self.pageSize = pageSize
        self.overlay = overlay
        self.background = background
    }
}
