import Model

/// Whether subtitles are shown, and which: what the configuration and the user want. Pure; a value.
public struct SubtitleChoice: Sendable, Equatable {
    /// When subtitles are shown before the user has said so.
    public enum Show: String, Sendable, CaseIterable {
        /// While the audio is muted, or if the clip has no audio.
        case auto
        case on, off
    }

    /// What the user chose in this session.
    enum Wish: Sendable, Equatable {
        case off
        /// The language, which may be unknown; a clip without it shows another.
        case language(String)
    }

    public var show = Show.auto
    /// The languages that are wanted, the best first, as tags.
    public var languages: [String] = []
    /// nil: nothing yet.
    var wish: Wish?

    public init() {}

    /// The tracks in the order in which they are chosen from: those in a wanted language first.
    func ordered(_ tracks: [TextTrack]) -> [TextTrack] {
        guard tracks.count > 1, !languages.isEmpty else { return tracks }
        func rank(_ track: TextTrack) -> Int {
            languages.firstIndex { Language.isSame($0, track.language) } ?? languages.count
        }
        return tracks.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map(\.element)
    }

    /// The track that a clip begins with; nil if none is shown.
    ///
    /// - Parameter tracks: as `ordered` gives them.
    func first(of tracks: [TextTrack], isSilent: Bool) -> TextTrack? {
        switch (wish, show) {
        case (.off, _), (nil, .off): nil
        case (.language(let language), _):
            tracks.first { $0.language == language } ?? tracks.first { Language.isSame($0.language, language) }
                ?? tracks.first
        case (nil, .on): tracks.first
        case (nil, .auto): isSilent ? tracks.first : nil
        }
    }
}
