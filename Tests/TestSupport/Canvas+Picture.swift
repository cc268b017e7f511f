import Model
import TermGraphics

extension Canvas {
    /// Paints one page that has `picture`, on black. `top` is in rows.
    public mutating func compose(_ picture: Picture, top: Double = 0, under overlay: CellGrid) {
        picture.withView {
            compose(
                pages: [PagePicture(picture: $0, top: top)], pageSize: size, overlay: overlay, background: .black)
        }
    }
}
