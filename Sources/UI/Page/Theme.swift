import Model

/// The colours of everything but the picture. A value.
public struct Theme: Sendable, Equatable {
    public enum Name: String, Sendable, CaseIterable {
        case dark, light
        case highContrast = "high-contrast"

        /// The theme for a terminal with a light or a dark background.
        public static func suiting(lightBackground isLight: Bool) -> Name { isLight ? .light : .dark }
    }

    /// Colours over the picture.
    public var text: RGB
    public var dim: RGB
    public var like: RGB
    public var save: RGB
    public var accent: RGB
    /// The background where there is no picture.
    public var background: RGB
    /// Colours of sheets and toasts.
    public var panel: RGB
    public var panelText: RGB
    public var panelDim: RGB
    public var selection: RGB
    /// The tones of the scrubber's line: what is not downloaded yet, what is buffered or cached, and what is played.
    /// The contrast from one to the next is at least 3 to 1, also in the nearest colours of 256.
    public var track: RGB
    public var buffered: RGB
    public var played: RGB
    /// Colours of text on `background`.
    public var bareText: RGB
    public var bareDim: RGB
    public var bareAccent: RGB

    /// Where letters need a ground of their own they stand on black, in every theme, and so do pages without a picture.
    public init(_ options: Options) {
        switch options.theme {
        case .dark:
            self.init(
                text: 0xFFFFFF, dim: 0xE0E4EC, background: 0x0B0C0F, panel: 0x1B1D23, panelText: 0xECEEF2,
                panelDim: 0x9AA0AC, selection: 0x333845)
        case .light:
            self.init(
                text: 0xFFFFFF, dim: 0xE8E6E0, background: 0xECE9E2, panel: 0xF7F5F0, panelText: 0x22242A,
                panelDim: 0x6A6C73, selection: 0xDFDACD)
            // The light ones can only be read over a picture, which is darkened.
            (bareText, bareDim, bareAccent) = (panelText, Self.dimOnLight, panelText)
        case .highContrast:
            self.init(
                text: 0xFFFFFF, dim: 0xFFFFFF, background: 0x000000, panel: 0x000000, panelText: 0xFFFFFF,
                panelDim: 0xFFFF80, selection: 0x0040C0)
            // Hints on pages look as those of sheets do.
            bareAccent = panelDim
        }
        if options.textNeedsGround {
            background = .black
            (bareText, bareDim) = (text, dim)
            if options.theme != .highContrast { bareAccent = accent }
        }
        if options.color == .palette16 { limitTo16Colors() }
    }

    /// Whether text on `background` is dark.
    var isLight: Bool { bareText != text }

    /// The ground of what is under the pointer.
    var lit: RGB { isLight ? panelText : selection }

    /// The colours of a page without a picture in the light theme: those over
    /// pictures can only be read on darkened ones.
    var onBareGround: Theme {
        var theme = self
        (theme.text, theme.dim, theme.accent) = (bareText, Self.dimOnLight, RGB(packed: 0x1F5C8A))
        (theme.like, theme.save) = (RGB(packed: 0xB8203F), RGB(packed: 0x7A5200))
        (theme.track, theme.buffered) = (RGB(packed: 0xBCBCBC), RGB(packed: 0x626262))
        theme.played = RGB(packed: 0x121212)
        return theme
    }

    /// The colours that differ from theme to theme, as 0xRRGGBB.
    private init(
        text: UInt32, dim: UInt32, background: UInt32, panel: UInt32, panelText: UInt32, panelDim: UInt32,
        selection: UInt32
    ) {
        self.text = RGB(packed: text)
        self.dim = RGB(packed: dim)
        self.background = RGB(packed: background)
        self.panel = RGB(packed: panel)
        self.panelText = RGB(packed: panelText)
        self.panelDim = RGB(packed: panelDim)
        self.selection = RGB(packed: selection)
        like = RGB(packed: 0xFF4D6A)
        save = RGB(packed: 0xFFC857)
        accent = RGB(packed: 0x92D2FF)
        track = RGB(packed: 0x444444)
        buffered = RGB(packed: 0x949494)
        played = .white
        (bareText, bareDim, bareAccent) = (self.text, self.dim, accent)
    }

    /// Pure colours, because the nearest one to a mixed one can be a grey; and no greys, because many palettes have a
    /// dark one that cannot be read on black.
    private mutating func limitTo16Colors() {
        (like, save) = (Self.pureRed, Self.pureYellow)
        if bareAccent != bareText { bareAccent = Self.pureCyan }
        accent = Self.pureCyan
        (dim, panelDim, bareDim) = (text, panelText, bareText)
    }

    /// The mark of the readiness gate when it refuses to page.
    static let refusal = RGB(packed: 0xC4302B)

    /// Red through amber to green, for a trust of 0 … 1; one of the three with 16 colours.
    ///
    /// - Parameter isOnLight: dark enough for a light ground.
    static func trust(_ share: Double, color: ColorMode, isOnLight: Bool = false) -> RGB {
        if isOnLight { return trust(share, color: color).mixed(with: .black, by: 0.45) }
        if color == .palette16 { return share < 1.0 / 3 ? pureRed : share < 2.0 / 3 ? pureYellow : pureGreen }
        let (red, amber, green) = (RGB(packed: 0xFF6159), RGB(packed: 0xF5B83D), RGB(packed: 0x3FD68A))
        return share < 0.5 ? red.mixed(with: amber, by: share * 2) : amber.mixed(with: green, by: share * 2 - 1)
    }

    private static let dimOnLight = RGB(packed: 0x5C5E65)
    private static let pureRed = RGB(packed: 0xFF0000)
    private static let pureYellow = RGB(packed: 0xFFFF00)
    private static let pureGreen = RGB(packed: 0x00FF00)
    private static let pureCyan = RGB(packed: 0x00FFFF)
}
