import Model

/// What is to be seen: pictures, and what is laid over them. `draw` makes it from `State`, and nothing else.
public struct Scene: Sendable, Equatable {
    /// Where a page's picture goes. Its size in cells is always `pageSize`; parts outside of the terminal are cut.
    public struct Page: Sendable, Equatable {
        public var item: Item.ID
        /// Rows from the terminal's top to the page's: 0 while nothing moves; a fraction while pages do.
        public var top: Double
        /// Blended over the picture: 0 leaves it, 1 hides it (P7's cover fading out).
        public var cover: Double

        public init(item: Item.ID, top: Double, cover: Double = 0) {
            self.item = item
            self.top = top
            self.cover = cover
        }
    }

    public var pages: [Page]
    /// The height of a page in rows: locked while pages move (P4).
    public var pageSize: GridSize
    public var overlay: CellGrid
    /// Painted where no picture is.
    public var background: RGB

    public init(pages: [Page], pageSize: GridSize, overlay: CellGrid, background: RGB = .black) {
        self.pages = pages
        self.pageSize = pageSize
        self.overlay = overlay
        self.background = background
    }
}
