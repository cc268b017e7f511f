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
        /// Whether the picture stands in a blurred copy of itself where it leaves the page free.
        public var hasBackdrop: Bool

        public init(item: Item.ID, top: Double, cover: Double = 0, hasBackdrop: Bool = false) {
            self.item = item
            self.top = top
            self.cover = cover
            self.hasBackdrop = hasBackdrop
        }
    }

    /// A still of a grid of them. It covers its frame, and is cropped to that around its middle.
    public struct Tile: Sendable, Equatable {
        public var item: Item.ID
        public var frame: GridRect

        public init(item: Item.ID, frame: GridRect) { (self.item, self.frame) = (item, frame) }
    }

    public var pages: [Page]
    public var tiles: [Tile] = []
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
