import Model

/// How clips are played: what the user chose for all of them, and whether the one in view is to play. A value.
public struct Playback: Sendable {
    /// The speeds that a clip can be played at.
    public static let speeds = 0.25...4.0
    /// How long auto-advance shows a page without an end.
    static let endlessShown = Duration.seconds(5)
    /// While pages pass by, how long the last key must be before a clip that is not open yet gets a player. A held key
    /// repeats every 25 to 100 ms.
    static let passingPause = Duration.milliseconds(120)

    /// A mark that pops up in the middle: play or pause.
    struct Pop: Sendable, Equatable {
        enum Mark: Sendable, Equatable { case play, pause }
        static let length = Duration.milliseconds(650)
        var mark: Mark
        var start: Duration
    }

    public private(set) var speed: Double
    public private(set) var fit: PictureFit
    public private(set) var autoAdvances: Bool
    public var sound: Sound
    /// Whether small variants are played, and little is fetched ahead.
    var savesData: Bool
    /// What the user set for single clips in this session.
    var tunings: [Item.ID: ClipTuning] = [:]
    /// The items whose clips are being saved as files, or wait for that.
    var saving: Set<Item.ID> = []
    /// When playing stops by itself.
    var sleep = SleepTimer()

    /// Whether the user wants the clip to play. Each page begins with true.
    public internal(set) var wantsPlay = true
    /// Another window has the keyboard, and the clip waits.
    var lacksFocus = false
    private(set) var pop: Pop?
    /// While pages pass by: when the current item gets a player, unless another key comes first. nil once it has one.
    private(set) var playAt: Duration?
    /// The item of the page that is pulled into view, if its pictures move already.
    private var peeked: Item.ID?
    /// Since when auto-advance waits at a page without an end; nil where it does not.
    private var endlessSince: Duration?

    init(_ options: Options) {
        (speed, fit, autoAdvances) = (options.speed, options.fit, options.autoAdvance)
        sound = Sound(volume: options.volume, isMuted: options.isMuted)
        savesData = options.savesData
    }

    /// The orders to players before the first clip.
    func settings(_ options: Options) -> [Effect] {
        [.setVolume(sound.level), .setLoop(loops(options)), .setFit(fit), .setSpeed(speed)]
            + (savesData ? [.setSavesData(true)] : [])
    }

    /// Whether a clip begins again at its end: not if the next one follows, or playing stops there.
    func loops(_ options: Options) -> Bool { options.loop && !autoAdvances && sleep.stop != .clipEnd }

    // MARK: What the user chooses

    mutating func setSpeed(_ wanted: Double) {
        speed = min(max(wanted, Self.speeds.lowerBound), Self.speeds.upperBound)
    }

    /// The next speed up (1) or down (-1); above 2 they are further apart.
    func speed(by step: Int) -> Double {
        step > 0 ? speed + (speed >= 2 ? 0.5 : 0.25) : speed - (speed > 2 ? 0.5 : 0.25)
    }

    /// "1x", "1.5x", "0.25x".
    var speedText: String {
        let hundredths = Int((speed * 100).rounded())
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        if rest == 0 { return "\(whole)x" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)x" : "\(whole).\(rest < 10 ? "0" : "")\(rest)x"
    }

    /// Chooses the next way to fit pictures, and returns its name.
    mutating func nextFit() -> String {
        let (next, name): (PictureFit, String) =
            switch fit {
            case .auto: (.fill, "Fit mode: fill")
            case .fill: (.fit, "Fit mode: fit")
            case .fit: (.auto, "Fit mode: auto")
            }
        fit = next
        return name
    }

    mutating func toggleAutoAdvance() { autoAdvances.toggle() }

    // MARK: The page in view

    /// Another page comes into view.
    mutating func arrive() { (wantsPlay, pop) = (true, nil) }

    /// The mark of what the user has just chosen: to play or to pause.
    mutating func showPop(now: Duration) { pop = Pop(mark: wantsPlay ? .play : .pause, start: now) }

    mutating func hidePop(at now: Duration) {
        if let pop, now - pop.start >= Pop.length { self.pop = nil }
    }

    /// Pages pass by: the one that has come into view gets a player only after a pause. Returns whether the one before
    /// had a player.
    mutating func pass(now: Duration) -> Bool {
        defer { playAt = now + Self.passingPause }
        return playAt == nil
    }

    /// The clip in view has a player, or the feed has no clip.
    mutating func endPassing() { playAt = nil }

    /// A page is pulled into view: its item, if it can play already. Returns whether that is another than before.
    mutating func peek(at item: Item.ID?) -> Bool {
        defer { peeked = item }
        return item != peeked
    }

    /// Whether auto-advance has shown a page without an end for long enough. It counts from the first call that says
    /// the page is one, and starts again after one that says it is not.
    mutating func isEndlessOver(_ isEndless: Bool, now: Duration) -> Bool {
        guard isEndless else {
            endlessSince = nil
            return false
        }
        let since = endlessSince ?? now
        let isOver = now >= since + Self.endlessShown
        endlessSince = isOver ? nil : since
        return isOver
    }

    /// When it next does something by itself, but for the mark, which moves; nil while it does not.
    var due: Duration? {
        [playAt, sleep.due, endlessSince.map { $0 + Self.endlessShown }].compactMap(\.self).min()
    }
}

/// How loud clips are. A value.
public struct Sound: Sendable, Equatable {
    /// 0 … 1, in steps of a hundredth.
    public private(set) var volume: Double
    public internal(set) var isMuted: Bool
    /// Whether no clip can be heard, however loud it is.
    public var isMissing = false

    init(volume: Double, isMuted: Bool) {
        self.volume = min(max(volume, 0), 1)
        self.isMuted = isMuted
    }

    /// How loud players play, 0 … 1.
    var level: Double { isMuted ? 0 : volume }

    /// Whether nothing is heard.
    var isSilent: Bool { isMuted || volume == 0 || isMissing }

    /// A louder key wants to hear something, so it unmutes; a quieter one leaves the mute alone.
    mutating func setVolume(_ wanted: Double) {
        if wanted > volume { isMuted = false }
        volume = (min(max(wanted, 0), 1) * 100).rounded() / 100
    }

    /// "Muted", "Volume ▮▮▮▮▮▮▯▯▯▯ 60 %".
    func words(isASCII: Bool, isPlain: Bool) -> String {
        isMuted ? "Muted" : "Volume \(bar(isASCII: isASCII, isPlain: isPlain))"
    }

    private func bar(isASCII: Bool, isPlain: Bool) -> String {
        let percent = Int((volume * 100).rounded())
        guard !isPlain else { return "\(percent) %" }
        let (full, empty) = isASCII ? ("#", ".") : ("▮", "▯")
        let bar = String(repeating: full, count: percent / 10) + String(repeating: empty, count: 10 - percent / 10)
        return "\(isASCII ? "[\(bar)]" : bar) \(percent) %"
    }
}
