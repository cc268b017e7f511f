import Model
import TermGraphics

extension Terminal {
    /// Who paints this terminal, at the `size`, in the colours and by the `output` of now. Its bytes go through `write`.
    public func makePainter() -> any Painter {
        switch output {
        case .direct:
            DirectPainter(
                size: size, surface: surface,
                capabilities: EncoderCapabilities(
                    synchronised: capabilities.hasSynchronisedUpdate, repeats: capabilities.hasRepeat,
                    // Whoever asks for blocks by name knows better than what the environment says.
                    unicode: capabilities.hasUnicode || surface != .ascii))
        case .ncurses:
            NcursesPainter(
                session: session, size: size, surface: surface, color: capabilities.color,
                isUnicode: capabilities.hasUnicode, isSynchronised: capabilities.hasSynchronisedUpdate)
        }
    }
}
