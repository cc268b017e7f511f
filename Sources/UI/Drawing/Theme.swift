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
    /// Colours of the scrubber.
    public var track: RGB
    public var buffered: RGB
    public var played: RGB

    public init(_ name: Name) {
        switch name {
        case .dark:
            self.init(
                text: RGB(packed: 0xFFFFFF), dim: RGB(packed: 0xC8CCD4), background: RGB(packed: 0x0B0C0F),
                panel: RGB(packed: 0x1B1D23), panelText: RGB(packed: 0xECEEF2), panelDim: RGB(packed: 0x9AA0AC),
                selection: RGB(packed: 0x333845), track: RGB(packed: 0x25282F), buffered: RGB(packed: 0x434854),
                played: RGB(packed: 0xD3D8E2))
        case .light:
            self.init(
                text: RGB(packed: 0xFFFFFF), dim: RGB(packed: 0xDCDAD4), background: RGB(packed: 0xECE9E2),
                panel: RGB(packed: 0xF7F5F0), panelText: RGB(packed: 0x22242A), panelDim: RGB(packed: 0x6A6C73),
                selection: RGB(packed: 0xDFDACD), track: RGB(packed: 0xD2CEC4), buffered: RGB(packed: 0xB3AFA4),
                played: RGB(packed: 0x2B2D33))
        case .highContrast:
            self.init(
                text: RGB(packed: 0xFFFFFF), dim: RGB(packed: 0xFFFFFF), background: RGB(packed: 0x000000),
                panel: RGB(packed: 0x000000), panelText: RGB(packed: 0xFFFFFF), panelDim: RGB(packed: 0xFFFF80),
                selection: RGB(packed: 0x0040C0), track: RGB(packed: 0x303030), buffered: RGB(packed: 0x707070),
                played: RGB(packed: 0xFFFF00))
        }
    }

    private init(
        text: RGB, dim: RGB, background: RGB, panel: RGB, panelText: RGB, panelDim: RGB, selection: RGB, track: RGB,
        buffered: RGB, played: RGB
    ) {
        self.text = text
        self.dim = dim
        self.background = background
        self.panel = panel
        self.panelText = panelText
        self.panelDim = panelDim
        self.selection = selection
        self.track = track
        self.buffered = buffered
        self.played = played
        like = RGB(packed: 0xFF4D6A)
        save = RGB(packed: 0xFFC857)
        accent = RGB(packed: 0x6CC4FF)
    }

    /// The mark of the readiness gate when it refuses to page.
    static let refusal = RGB(packed: 0xC4302B)

    /// Red through amber to green, for a trust of 0 … 1.
    static func trust(_ share: Double) -> RGB {
        let (red, amber, green) = (RGB(packed: 0xF0524F), RGB(packed: 0xF5B83D), RGB(packed: 0x4CC38A))
        return share < 0.5 ? red.mixed(with: amber, by: share * 2) : amber.mixed(with: green, by: share * 2 - 1)
    }
}
