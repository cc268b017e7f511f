import Model
import Screen
import UI

extension Options {
    /// What the user chose, and what is known of the terminal so far.
    @MainActor
    init(_ settings: BrowseSettings, terminal: Terminal) {
        self.init()
        color = terminal.capabilities.color
        theme = settings.theme(on: terminal.capabilities)
        pictureMode = terminal.pictureMode
        reducedMotion = settings.reducedMotion
        hasGate = settings.setup.configuration.interface.hasGate
        loop = settings.loop
        autoAdvance = settings.autoAdvance
        fit = settings.fit
        isMuted = settings.muted
        volume = settings.volume
        startIndex = settings.start
        knowsCellAspect = terminal.cellPixels != nil
        keys = KeyMap(changing: settings.setup.configuration.keys)
        seed = .random(in: 0 ... .max)
    }
}

extension BrowseSettings {
    /// The chosen theme; without one, the theme for the terminal's background if that is known.
    func theme(on terminal: Capabilities) -> Theme.Name {
        theme ?? .suiting(lightBackground: terminal.isBackgroundLight)
    }
}
