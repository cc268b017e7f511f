import Model

/// Memory from which a terminal on the same machine reads pictures. Belongs to one thread.
public protocol PictureMemory: AnyObject {
    /// Whether the terminal was seen to read it.
    var isUsable: Bool { get }

    /// Has `fill` write `count` bytes to a new object, and names it. nil while the terminal has not read the ones
    /// before, or where there is no memory.
    func store(_ count: Int, _ fill: (UnsafeMutableRawPointer) -> Void) -> String?
}

/// Shows the pixels of a canvas as one image below the text (kitty's graphics protocol), and writes the text with the
/// fewest bytes (`Encoder`).
///
/// While only text changes no pixels are sent.
public final class KittyPainter: Painter {
    private var encoder: Encoder
    private var images = KittyImages()
    private let memory: (any PictureMemory)?
    /// The pixels that the terminal shows; meaningless unless `knowsScreen`.
    private let shown: Plane<UInt32>
    private var knowsScreen = false

    public let pictures: PictureFormat
    public let hasBrightGrounds = true
    public var isSynchronised: Bool

    /// - Parameter memory: nil where the terminal is known to run elsewhere.
    public init(
        size: GridSize, pictures: PictureFormat, capabilities: EncoderCapabilities, memory: (any PictureMemory)?
    ) {
        isSynchronised = capabilities.synchronised
        var capabilities = capabilities
        // An update is more than the encoder's bytes.
        capabilities.synchronised = false
        encoder = Encoder(size: size, capabilities: capabilities)
        self.pictures = pictures
        self.memory = memory
        let pixels = pictures.pictureSize(for: size)
        shown = Plane(count: pixels.width * pixels.height, filledWith: 0)
    }

    public var size: GridSize { encoder.size }

    /// The budget applies to the text: a picture is sent whole.
    public func paint(
        _ canvas: borrowing Canvas, within budget: Int, precision: Precision, into buffer: inout ByteBuffer
    ) -> PaintStats {
        precondition(canvas.pictures == pictures, "the canvas is made for this painter")
        let start = buffer.count
        if !knowsScreen { KittyImages.appendDeletion(to: &buffer) }
        // A picture is sent before the update begins, as terminals
        // buffer only a limited amount; it is shown in the update.
        let delivery = deliver(canvas, into: &buffer)
        let bracket = buffer.count
        if isSynchronised { buffer.append(SynchronisedUpdate.begin) }
        let content = buffer.count
        if delivery == .sent { images.appendPlacement(over: size, to: &buffer) }
        let textBudget = budget == .max ? budget : max(budget - (buffer.count - start), 0)
        var figures = encoder.encode(canvas, into: &buffer, within: textBudget)
        if buffer.count == content {
            buffer.shorten(to: bracket)
        } else if isSynchronised {
            buffer.append(SynchronisedUpdate.end)
        }
        figures.bytes = buffer.count - start
        if delivery == .sent { figures.cells = size.cells }
        if delivery == .delayed { figures.isExact = false }
        return figures
    }

    private enum Delivery { case unneeded, sent, delayed }

    private func deliver(_ canvas: borrowing Canvas, into buffer: inout ByteBuffer) -> Delivery {
        let pixels = UnsafePointer(canvas.pixels.base)
        guard shown.count > 0, !knowsScreen || !Pixels.areEqual(pixels, shown.base, count: shown.count) else {
            return .unneeded
        }
        let pixelSize = pictures.pictureSize(for: size)
        if let memory, memory.isUsable {
            let name = memory.store(4 * shown.count) { KittyImages.write(pixels, count: shown.count, to: $0) }
            guard let name else { return .delayed }
            images.append(name: name, size: pixelSize, to: &buffer)
        } else {
            images.append(pixels, size: pixelSize, to: &buffer)
        }
        shown.base.update(from: pixels, count: shown.count)
        knowsScreen = true
        return .sent
    }

    public func forget() {
        encoder.forget()
        knowsScreen = false
    }
}
