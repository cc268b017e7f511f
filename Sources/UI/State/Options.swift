import Model

/// What was chosen on the command line and in the configuration, and what is known of the terminal.
public struct Options: Sendable, Equatable {
    public var color = ColorMode.truecolor
    public var surface = PictureMode.half
    public var theme = Theme.Name.dark
    /// Cuts instead of slides, no pops (U15).
    public var reducedMotion = false
    /// Whether paging waits until the clip in view is ready (P10).
    public var hasGate = false
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
    /// Whether the terminal reported the size of its cells, so that pictures have their true proportions.
    public var knowsCellAspect = true
    /// Which key does what.
    public var keys = KeyMap.standard
    /// Makes the tilt of hearts reproducible.
    public var seed: UInt64 = 1

    public init() {}

    /// Only printable ASCII is drawn.
    var isASCII: Bool { surface == .ascii }
    /// Text has a background of its own where it could not be read on a darkened picture.
    var textNeedsGround: Bool { surface == .ascii || color == .mono || color == .palette16 }
}
