import Model

/// Pictures as files within the terminal's output, which iTerm2 began with (OSC 1337,
/// https://iterm2.com/documentation-images.html): as PNG, scaled to the cells by the terminal.
struct InlinePictures: ~Copyable, CellPictures {
    let maxCells: GridSize
    private let samples: PixelSize
    private var png = PNG()

    init(grid: GridSize, samples: PixelSize) {
        maxCells = grid
        self.samples = samples
    }

    mutating func begin(_ pixels: UnsafePointer<UInt32>, count: Int) {}

    mutating func append(
        _ pixels: UnsafePointer<UInt32>, stride: Int, over area: GridRect, to buffer: inout ByteBuffer
    ) {
        let size = PixelSize(width: area.columns * samples.width, height: area.rows * samples.height)
        let corner = pixels + area.row * samples.height * stride + area.column * samples.width
        let file = png.file(of: PictureView(pixels: corner, size: size, stride: stride))
        // The picture's shape is that of the cells, whatever the pixels' is.
        buffer.append(
            "\u{1B}]1337;File=inline=1;size=\(file.count);width=\(area.columns);height=\(area.rows);preserveAspectRatio=0;doNotMoveCursor=1:"
        )
        file.withUnsafeBufferPointer { Base64.append($0, to: &buffer) }
        buffer.append(0x07)
    }
}
