/// Pixels in borrowed memory, valid only during the call that received them.
///
/// `pixels` has `height` rows of `stride` pixels; the first `width` of each row belong to the picture. A pixel is
/// 0xXXRRGGBB; the top byte has no meaning. The memory may be shared with a decoder process that can change it at any
/// time: read each pixel once, and trust none.
public struct PictureView {
    public let pixels: UnsafePointer<UInt32>
    public let size: PixelSize
    /// Pixels from one row to the next, at least `size.width`.
    public let stride: Int

    public init(pixels: UnsafePointer<UInt32>, size: PixelSize, stride: Int) {
        precondition(size.width >= 0 && size.height >= 0 && stride >= size.width, "a picture's rows overlap")
        self.pixels = pixels
        self.size = size
        self.stride = stride
    }
}

/// A picture that owns its pixels: a still. A value.
public struct Picture: Sendable, Hashable {
    public let size: PixelSize
    /// `size.width * size.height` pixels, 0x00RRGGBB, row by row.
    public var pixels: [UInt32]

    public init(size: PixelSize, pixels: [UInt32]) {
        precondition(pixels.count == size.width * size.height, "a picture has one pixel a place")
        self.size = size
        self.pixels = pixels
    }

    public init(copying view: PictureView) {
        size = view.size
        pixels = Array(unsafeUninitializedCapacity: view.size.width * view.size.height) { buffer, count in
            for row in 0..<view.size.height {
                let source = view.pixels + row * view.stride
                for column in 0..<view.size.width {
                    buffer[row * view.size.width + column] = source[column] & 0xFF_FFFF
                }
            }
            count = view.size.width * view.size.height
        }
    }

    public func withView<Result>(_ body: (PictureView) throws -> Result) rethrows -> Result {
        try pixels.withUnsafeBufferPointer { buffer in
            // An empty picture has no address, but with size zero nothing reads it.
            guard let base = buffer.baseAddress else {
                return try withUnsafePointer(to: UInt32(0)) {
                    try body(PictureView(pixels: $0, size: size, stride: size.width))
                }
            }
            return try body(PictureView(pixels: base, size: size, stride: size.width))
        }
    }
}
