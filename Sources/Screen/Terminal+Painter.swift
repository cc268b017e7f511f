import Model
import TermGraphics

extension Terminal {
    /// Who paints this terminal, at the `size`, in the colours and by the `output` of now. Its bytes go through `write`.
    public func makePainter() -> any Painter {
        switch output {
        case .direct:
            DirectPainter(
                size: size, pictureMode: pictureMode,
                capabilities: EncoderCapabilities(
                    synchronised: capabilities.hasSynchronisedUpdate, repeats: capabilities.hasRepeat,
                    unicode: capabilities.hasUnicode))
        case .ncurses:
            NcursesPainter(
                session: session, size: size, pictureMode: pictureMode, color: capabilities.color,
                isUnicode: capabilities.hasUnicode, isSynchronised: capabilities.hasSynchronisedUpdate)
        }
    }
}
