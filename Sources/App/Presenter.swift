import Model
import Player
import Screen
import TermGraphics
import UI

/// Turns scenes into bytes on the terminal: composes pictures and overlay, encodes what changed, writes it.
@MainActor
final class Presenter {
    private let terminal: Terminal
    private let surface: SurfaceKind
    private var canvas: Canvas
    private var encoder: Encoder
    private var bytes = ByteBuffer()
    private var capabilities: Capabilities

    init(terminal: Terminal, surface: SurfaceKind) {
        self.terminal = terminal
        self.surface = surface
        capabilities = terminal.capabilities
        canvas = Canvas(size: terminal.size, surface: surface, color: capabilities.color)
        encoder = Presenter.encoder(size: terminal.size, capabilities)
    }

    /// Whether the last update is still on its way: then there is no point in making another.
    var isBusy: Bool { terminal.isBusy }

    /// Starts from a blank screen: after a resize, a change of the terminal's capabilities, or when somebody else wrote on it.
    func startOver() {
        if terminal.size != canvas.size || terminal.capabilities != capabilities {
            capabilities = terminal.capabilities
            canvas = Canvas(size: terminal.size, surface: surface, color: capabilities.color)
            encoder = Presenter.encoder(size: terminal.size, capabilities)
        } else {
            encoder.forget()
        }
    }

    /// Shows a scene. Returns what was written.
    func present(_ scene: Scene, pictures: [PagePicture]) -> UpdateFigures {
        canvas.compose(
            pages: pictures, pageSize: scene.pageSize, overlay: scene.overlay, background: scene.background)
        bytes.removeAll()
        let figures = encoder.encode(canvas, into: &bytes)
        if figures.bytes > 0 { bytes.withUnsafeBytes { terminal.write($0) } }
        return figures
    }

    private static func encoder(size: GridSize, _ capabilities: Capabilities) -> Encoder {
        Encoder(
            size: size,
            capabilities: EncoderCapabilities(
                synchronised: capabilities.hasSynchronisedUpdate, repeats: capabilities.hasRepeat))
    }
}
