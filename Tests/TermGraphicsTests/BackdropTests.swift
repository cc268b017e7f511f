import Model
import Testing

@testable import TermGraphics

@Suite struct BackdropTests {
    private let page = PixelSize(width: 80, height: 48)
    private let cell = PixelSize(width: 1, height: 2)

    private func picture(_ width: Int = 27, _ height: Int = 48, _ pixel: (Int, Int) -> UInt32) -> Picture {
        Picture(
            size: PixelSize(width: width, height: height),
            pixels: (0..<width * height).map { pixel($0 % width, $0 / width) })
    }

    private func pixels(_ backdrop: Backdrop) -> [UInt32] {
        backdrop.withView { $0.map { Picture(copying: $0).pixels } ?? [] }
    }

    @Test func thereIsNoneBeforeTheFirstPicture() {
        #expect(pixels(Backdrop(page: page)).isEmpty)
    }

    @Test func backdropIsTheDarkenedPicture() {
        var backdrop = Backdrop(page: page)
        picture { _, _ in 0xFF8000 }.withView { backdrop.renew(from: $0, cell: cell) }
        #expect(Set(pixels(backdrop)) == [0x562C00])
    }

    /// White text on a white picture's backdrop can be read.
    @Test func whiteIsDarkEnoughForText() {
        var backdrop = Backdrop(page: page)
        picture { _, _ in 0xFFFFFF }.withView { backdrop.renew(from: $0, cell: cell) }
        for pixel in Set(pixels(backdrop)) { #expect(Contrast.ratio(pixel, 0xFFFFFF) >= 4.5) }
    }

    @Test func backdropBlursEdges() {
        var backdrop = Backdrop(page: page)
        picture { x, _ in x < 13 ? 0xFFFFFF : 0 }.withView { backdrop.renew(from: $0, cell: cell) }
        let row = Array(pixels(backdrop)[0..<80]).map { Int($0 & 0xFF) }
        for (left, right) in zip(row, row.dropFirst()) { #expect(left >= right && left - right <= 9) }
        #expect(row[0] > 70 && row[79] < 10)
    }

    /// Both pixels of a cell are alike, and a row has few colours: both make it cheap to send.
    @Test func cellsHaveOneColourAndRowsHaveFew() {
        var backdrop = Backdrop(page: page)
        picture { x, y in UInt32(x * 9) << 16 | UInt32(y * 5) << 8 | 0x40 }.withView {
            backdrop.renew(from: $0, cell: cell)
        }
        let all = pixels(backdrop)
        for row in 0..<24 {
            let (upper, lower) = (Array(all[row * 160..<row * 160 + 80]), Array(all[row * 160 + 80..<row * 160 + 160]))
            #expect(upper == lower && Set(upper).count <= 40)
        }
    }

    @Test func noiseChangesNothingAndACutChangesAll() {
        var backdrop = Backdrop(page: page)
        picture { _, _ in 0x808080 }.withView { backdrop.renew(from: $0, cell: cell) }
        let before = pixels(backdrop)
        picture { x, y in (x + y) & 1 == 0 ? 0x888888 : 0x828282 }.withView { backdrop.renew(from: $0, cell: cell) }
        #expect(pixels(backdrop) == before)
        picture { _, _ in 0x204080 }.withView { backdrop.renew(from: $0, cell: cell) }
        #expect(zip(pixels(backdrop), before).allSatisfy { $0 != $1 })
    }

    @Test(arguments: [(1, 1), (500, 2), (2, 500), (80, 48)]) func acceptsAnyAspectRatio(width: Int, height: Int) {
        var backdrop = Backdrop(page: page)
        picture(width, height) { _, _ in 0xFFFFFF }.withView { backdrop.renew(from: $0, cell: cell) }
        #expect(Set(pixels(backdrop)) == [0x565656])
    }

    /// The cells beside a picture of 2 columns on a page of 6, for backdrops from black to as bright as they become.
    @Test func backdropGreysAreMonotonicIn256Colours() {
        let size = GridSize(columns: 6, rows: 1)
        var canvas = Canvas(size: size, pictureMode: .half, color: .palette256)
        let small = Picture(size: PixelSize(width: 2, height: 2), pixels: Array(repeating: 0xFF0000, count: 4))
        var before = 0
        for level in stride(from: UInt32(0), through: 87, by: 1) {
            let around = Picture(
                size: PixelSize(width: 6, height: 2), pixels: Array(repeating: level * 0x01_0101, count: 12))
            small.withView { picture in
                around.withView { backdrop in
                    canvas.compose(
                        pages: [PagePicture(picture: picture, top: 0, backdrop: backdrop)], pageSize: size,
                        overlay: CellGrid(size: size), background: .black)
                }
            }
            let cell = canvas.cell(0)
            #expect((232...255).contains(cell.background) && (232...255).contains(cell.foreground))
            let shade = cell.glyph == 0x20 ? 0 : Int(cell.glyph) - 0x2590
            #expect((0...3).contains(shade))
            let brightness = 4 * Int(cell.background) + shade
            #expect(brightness >= before)
            before = brightness
            #expect(canvas.cell(2).background == 196)
        }
        #expect(before >= 4 * 239)
    }

    @Test(arguments: [ColorMode.truecolor, .palette256]) func asciiBackdropIsColouredBlanks(color: ColorMode) {
        let size = GridSize(columns: 6, rows: 2)
        var canvas = Canvas(size: size, pictureMode: .ascii, color: color)
        let small = Picture(size: PixelSize(width: 4, height: 8), pixels: (0..<32).map { $0 & 1 == 0 ? 0xFFFFFF : 0 })
        let around = Picture(size: PixelSize(width: 12, height: 8), pixels: Array(repeating: 0x303030, count: 96))
        small.withView { picture in
            around.withView { backdrop in
                canvas.compose(
                    pages: [PagePicture(picture: picture, top: 0, backdrop: backdrop)], pageSize: size,
                    overlay: CellGrid(size: size), background: .black)
            }
        }
        for column in 0..<6 {
            let cell = canvas.cell(column)
            let isBeside = column < 2 || column > 3
            #expect((cell.glyph == 0x20) == isBeside)
            if isBeside { #expect(cell.background == (color == .truecolor ? 0x303030 : 236)) }
        }
    }

    @Test func backdropSurroundsThePictureAndMovesWithItsPage() {
        let size = GridSize(columns: 4, rows: 2)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        let small = Picture(size: PixelSize(width: 2, height: 4), pixels: Array(repeating: 0xFFFFFF, count: 8))
        let around = Picture(size: PixelSize(width: 4, height: 4), pixels: Array(repeating: 0x102030, count: 16))
        func row(_ y: Int) -> [UInt32] { (0..<4).map { canvas.pixels[y * 4 + $0] } }
        for top in [0.0, 1] {
            small.withView { picture in
                around.withView { backdrop in
                    canvas.compose(
                        pages: [PagePicture(picture: picture, top: top, backdrop: backdrop)], pageSize: size,
                        overlay: CellGrid(size: size), background: .black)
                }
            }
            #expect(row(3) == [0x102030, 0xFFFFFF, 0xFFFFFF, 0x102030])
            #expect(row(0) == (top == 0 ? [0x102030, 0xFFFFFF, 0xFFFFFF, 0x102030] : [0, 0, 0, 0]))
        }
    }
}
