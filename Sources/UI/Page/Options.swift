import Model

/// What the command line and the configuration chose, and what is known of the terminal. A value.
public struct Options: Sendable, Equatable {
    public var color = ColorMode.truecolor
    public var pictures = PictureFormat(.half)
    public var theme = Theme.Name.dark
    /// Pages change without sliding, and nothing pops up.
    public var reducedMotion = false
    /// The page is printed as text, for screen readers, instead of being drawn: see `ScreenReaderOutput`.
    public var isPlain = false
    /// The readiness gate: whether paging waits until the current clip is ready.
    public var hasGate = false
    /// Whether what feeds call sensitive is hidden until a key shows it.
    public var coversSensitive = false
    /// Whether a link is copied with the passwords and signatures in it.
    public var copiesSecrets = false
    /// Whether subtitles are shown, and which.
    public var subtitles = SubtitleChoice()
    public var loop = true
    public var autoAdvance = false
    public var fit = PictureFit.auto
    /// 0 … 1.
    public var volume = 1.0
    public var isMuted = false
    /// 0.25 … 4.
    public var speed = 1.0
    public var startIndex = 0
    /// Playing stops after this time; nil: it does not.
    public var sleepAfter: Duration?
    /// flick runs for the first time, so the page shows which key lists all keys.
    public var isFirstRun = false
    /// How long a click waits for a second one.
    public var doubleClick = Duration.milliseconds(250)
    public var seekStep = Duration.seconds(5)
    /// Whether small variants are played, and little is fetched ahead, until the user chooses otherwise.
    public var savesData = false
    /// How many items may be opened ahead of and behind the current one. Those next to it are named in any case.
    public var warmAhead = 1
    public var warmBehind = 1
    /// Whether the terminal reported the size of its cells, which gives pictures their true proportions.
    public var knowsCellAspect = true
    /// Whether a blurred copy of the picture fills the rest of its page.
    public var hasBackdrop = true
    /// Which key does what.
    public var keys = KeyMap.standard

    public init() {}

    /// What pictures are drawn with. Setting it gives cells as many pixels as the mode has by itself.
    public var pictureMode: PictureMode {
        get { pictures.mode }
        set { pictures = PictureFormat(newValue) }
    }

    /// Whether only printable ASCII is drawn.
    var isASCII: Bool { pictureMode == .ascii }
    /// Whether text needs a solid background, because it would be unreadable on a darkened picture.
    var textNeedsGround: Bool { pictureMode == .ascii || color == .mono || color == .palette16 }
    /// Whether creators' avatars are shown as images: there are enough pixels and colours to recognize them.
    public var showsAvatars: Bool { !textNeedsGround && pictureMode != .braille }
    /// Whether the trust score is a line of text, because an arc of dots or its colours could not be shown.
    var trustIsPlain: Bool { isASCII || color == .mono }
}
