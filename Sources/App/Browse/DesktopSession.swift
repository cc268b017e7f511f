import Desktop
import Model
import UI

/// What other programs see of flick, and want of it: the control socket, the media player on D-Bus, and the inhibitor
/// of sleep. Main thread; each of the first two has a thread, which begins after the first frame.
@MainActor
final class DesktopSession {
    /// What has to be announced when it changes. The position is not part of it. A value.
    private struct Mark: Equatable {
        var item: Item.ID?
        var list: Int
        var page: Int
        /// The file's tags can name the clip later.
        var title: GlyphLine?
        var isPaused: Bool
        var isMoving: Bool
        var duration: Duration?
        var sound: Sound
        var speed: Double

        init(_ state: State) {
            let clip = state.clip
            (item, list, page) = (state.currentID, state.items.count, state.current)
            title = state.content?.title
            isPaused = state.isPaused || clip.failure != nil || clip.hasEnded
            isMoving = clip.isPlaying && !clip.isStalled && !isPaused
            (duration, sound, speed) = (clip.duration, state.playback.sound, state.playback.speed)
        }
    }

    private let settings: Configuration.Desktop
    private let inbox: Inbox<LoopMessage>
    private let journal: Journal
    private var control: ControlServer?
    private var bus: MediaBus?
    /// When it begins without a frame, because a feed is slow or empty; nil once it has begun.
    private var startAt: Duration?
    /// Counts items that came into view, and the last of them.
    private var track = (number: 0, item: Item.ID?.none)
    private var mark: Mark?
    /// What was announced last, and when.
    private var announced = (playing: NowPlaying(), at: Duration.zero)

    /// How long the first frame is waited for.
    private static let patience = Duration.seconds(2)

    init(_ settings: Configuration.Desktop, inbox: Inbox<LoopMessage>, journal: Journal) {
        (self.settings, self.inbox, self.journal) = (settings, inbox, journal)
        startAt = settings == .off ? nil : Self.patience
    }

    /// When `advance` is to be called although nothing happens; nil: never.
    var nextWake: Duration? { startAt }

    /// Begins once there is a frame, and announces what has changed.
    func advance(_ state: State, now: Duration) {
        if let startAt {
            guard state.clip.isRendering || now >= startAt else { return }
            self.startAt = nil
            start(state, now: now)
        }
        guard let bus else { return }
        let new = Mark(state)
        let old = announced
        guard new != mark || hasJumped(state, now: now) else { return }
        let isOther = new.item != mark?.item
        mark = new
        let playing = playing(state, new, now: now)
        announced = (playing, now)
        bus.update(
            playing, hasJumped: !isOther && playing.hasJumped(since: old.playing, elapsed: now - old.at))
    }

    private func hasJumped(_ state: State, now: Duration) -> Bool {
        var playing = NowPlaying()
        playing.position = state.shownPosition(now: now)
        return playing.hasJumped(since: announced.playing, elapsed: now - announced.at)
    }

    func close() {
        control?.close()
        bus?.close()
    }

    private func start(_ state: State, now: Duration) {
        let new = Mark(state)
        let playing = playing(state, new, now: now)
        (mark, announced) = (new, (playing, now))
        let receive: @Sendable (DesktopRequest) -> Void = { [inbox] in inbox.post(.desktop($0)) }
        let report: @Sendable (DesktopError) -> Void = { [journal] in Self.report($0, to: journal) }
        if settings.hasControl {
            do throws(DesktopError) {
                control = try ControlServer(in: RuntimeFolder(), receive: receive) {
                    report(DesktopError("`flick ctl` does not work: \($0)", isCommon: $0.isCommon))
                }
            } catch { report(DesktopError("`flick ctl` does not work: \(error)", isCommon: error.isCommon)) }
        }
        guard settings.isPlayer || settings.inhibitsSleep else { return }
        do throws(DesktopError) {
            bus = try MediaBus(
                MediaBus.Options(isPlayer: settings.isPlayer, inhibitsSleep: settings.inhibitsSleep),
                playing: playing, receive: receive, failed: report)
        } catch { report(error) }
    }

    /// The page says nothing of it: a machine without a desktop is as it should be.
    private nonisolated static func report(_ error: DesktopError, to journal: Journal) {
        if error.isCommon {
            journal.note(error.description)
        } else {
            journal.record(.error(what: "desktop", why: error.description))
        }
    }

    // MARK: What is shown

    /// What other programs are to know of the page.
    func playing(_ state: State, now: Duration) -> NowPlaying { playing(state, Mark(state), now: now) }

    private func playing(_ state: State, _ mark: Mark, now: Duration) -> NowPlaying {
        var playing = NowPlaying()
        playing.place = state.feed.places.current.name
        playing.pages = mark.list
        (playing.volume, playing.isMuted, playing.speed) = (mark.sound.volume, mark.sound.isMuted, mark.speed)
        guard let content = state.content else { return playing }
        if content.item.id != track.item { track = (track.number + 1, content.item.id) }
        playing.track = track.number
        playing.page = mark.page + 1
        let clip = state.clip
        playing.title = content.title.text
        playing.creator = content.hasCreator ? content.name.text : nil
        playing.url = Self.line(SafeURL.shareable(content.item.link ?? content.item.url))
        playing.artwork = state.covers(content.item) ? nil : content.item.thumbnail.flatMap(Self.picture)
        playing.position = state.shownPosition(now: now)
        (playing.duration, playing.isPaused, playing.isMoving) = (mark.duration, mark.isPaused, mark.isMoving)
        playing.isLiked = state.reactions[content.item.id].isLiked
        playing.isSeekable = clip.duration != nil && clip.failure == nil && clip.facts?.isSeekable ?? true
        return playing
    }

    /// One line, without characters that other programs could stumble over; nil if it is empty.
    private static func line(_ url: String) -> String? {
        let line = CleanText.line(url)
        return line.isEmpty ? nil : line
    }

    /// The address of a picture that other programs can fetch; nil for any other.
    private static func picture(_ url: String) -> String? {
        let isKnown = RemoteURL(url) != nil || FileURL.path(of: url) != nil
        return isKnown ? line(url) : nil
    }
}

extension Configuration.Desktop {
    /// No other program sees flick.
    static var off: Configuration.Desktop {
        var off = Configuration.Desktop()
        (off.isPlayer, off.hasControl, off.inhibitsSleep) = (false, false, false)
        return off
    }
}

extension ExternalCommand {
    /// What the page does for a command.
    static func commands(for command: DesktopCommand, on state: State, now: Duration) -> [ExternalCommand] {
        switch command {
        case .next: [.action(.next)]
        case .previous: [.action(.previous)]
        case .like: [.action(.like)]
        case .quit: [.action(.quit)]
        case .playPause: [.togglePlay]
        case .play: [.play(true)]
        case .pause: [.play(false)]
        case .stop: [.play(false), .seek(to: .zero)]
        case .seek(let distance): [seek(by: distance, on: state, now: now)]
        case .seekTo(let time): [.seek(to: time)]
        case .setVolume(let volume): [.setVolume(volume)]
        case .setSpeed(let speed): [.setSpeed(speed)]
        case .status: []
        }
    }

    /// Beyond the end the next clip begins (MPRIS, Seek).
    private static func seek(by distance: Duration, on state: State, now: Duration) -> ExternalCommand {
        let time = state.shownPosition(now: now) + distance
        guard let duration = state.clip.duration, time > duration else { return .seek(to: time) }
        return .action(.next)
    }
}
