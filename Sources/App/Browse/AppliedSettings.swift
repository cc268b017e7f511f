import Model
import Player
import Screen
import UI

extension Options {
    /// What the user chose, and what is known of the terminal so far.
    ///
    /// - Parameter point: where the feed was left; nil if it is not read yet.
    @MainActor
    init(_ settings: BrowseSettings, at place: Place, from point: ReturnPoint?, terminal: Terminal) {
        self.init()
        color = terminal.capabilities.color
        theme = settings.theme(on: terminal.capabilities)
        pictures = terminal.pictures
        isPlain = settings.plain
        reducedMotion = settings.reducedMotion || settings.plain
        hasGate = settings.setup.configuration.interface.hasGate
        (warmAhead, warmBehind) = PlayerPool.Prefetch(settings.setup.configuration.prefetch).reach
        savesData = settings.setup.configuration.playback.savesData
        // What lies beside files is not known while their folder is listed: they cannot be left out.
        coversSensitive = settings.setup.configuration.feed.sensitive != .show
        copiesSecrets = settings.setup.configuration.interface.copiesSecrets
        subtitles.show = settings.subtitleFile == nil ? settings.setup.configuration.subtitles.show : .on
        subtitles.languages = settings.setup.configuration.subtitles.languages
        loop = settings.loop
        autoAdvance = settings.autoAdvance
        sleepAfter = settings.sleep
        fit = settings.fit
        isMuted = settings.muted
        volume = settings.volume
        speed = settings.speed
        doubleClick = settings.setup.configuration.interface.clickDelay
        seekStep = settings.setup.configuration.playback.seekStep
        startIndex = settings.startIndex(from: point)
        knowsCellAspect = terminal.cellPixels != nil
        keys = KeyMap(changing: settings.setup.configuration.keys)
    }
}

extension BrowseSettings {
    /// The page to begin at: the one that the user names, or the one that was left.
    func startIndex(from point: ReturnPoint?) -> Int { start ?? point?.start.page ?? 0 }

    /// The chosen theme; without one, the theme for the terminal's background if that is known.
    func theme(on terminal: Capabilities) -> Theme.Name {
        theme ?? .suiting(lightBackground: terminal.isBackgroundLight)
    }
}

extension PlayerPool.Options {
    /// What the user chose.
    init(_ settings: BrowseSettings, decoderPath: String) {
        let configuration = settings.setup.configuration
        self.init(
            decoderPath: decoderPath, loop: settings.loop, audio: settings.audio)
        soundLanguages = configuration.sound.languages
        soundLevel = configuration.sound.level
        resumesOver = configuration.playback.resumeOver
        prefetch = PlayerPool.Prefetch(configuration.prefetch)
    }
}

extension PlayerPool.Prefetch {
    init(_ configured: Configuration.Prefetch) {
        self.init()
        ahead = configured.ahead
        behind = configured.behind
        concurrent = configured.concurrent
        buffer = configured.buffer
        bitrate = configured.bitrate
        isAdaptive = configured.isAdaptive
    }
}
