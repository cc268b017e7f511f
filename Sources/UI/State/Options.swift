import Model

/// What the user chose before the page was made, and what is known of the terminal.
public struct Options: Sendable, Equatable {
    public var color = ColorMode.truecolor
    public var surface = PictureMode.half
    public var theme = Theme.Name.night
    /// Cuts instead of slides, no pops (U15).
    public var reducedMotion = false
    public var loop = true
    public var autoAdvance = false
    public var fit = PictureFit.fill
    /// 0 … 1.
    public var volume = 1.0
    public var isMuted = false
    public var startIndex = 0
    /// How long a click waits for a second one.
    public var doubleClick = Duration.milliseconds(250)
    public var seekStep = Duration.seconds(5)
    /// Items opened ahead of and behind the one in view.
    public var warmAhead = 1
    public var warmBehind = 1
    /// Whether the terminal told the size of its cells, so that a picture's proportions can be trusted.
    public var knowsCellAspect = true
    /// Makes the tilt of hearts reproducible.
    public var seed: UInt64 = 1

    public init() {}

    /// Only printable ASCII is drawn.
    var isASCII: Bool { surface == .ascii }
    /// Text stands on a ground of its own where a darkened picture cannot carry it.
    var textNeedsGround: Bool { surface == .ascii || color == .mono || color == .palette16 }
}
