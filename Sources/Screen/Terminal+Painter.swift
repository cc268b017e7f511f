import Model
import TermGraphics

extension Terminal {
    /// Who paints this terminal, at the `size` of now. Its bytes go through `write`.
    public func makePainter(surface: PictureMode) -> any Painter {
        DirectPainter(
            size: size, surface: surface,
            capabilities: EncoderCapabilities(
                synchronised: capabilities.hasSynchronisedUpdate, repeats: capabilities.hasRepeat))
    }
}
