/// The parts of a clip that can be gone to, and what of it can be chosen.
extension MediaInfo {
    /// A part of a clip that has a name. It ends where the next begins.
    public struct Chapter: Equatable, Sendable {
        /// In the clip.
        public var start: Microseconds
        /// As the file has it; may be empty. Cut to `WireLimit.name` bytes before it is sent.
        public var title: String

        public init(start: Microseconds, title: String) {
            self.start = start
            self.title = title
        }
    }

    /// Sound or text that can be chosen among others. Its place in its list is its number.
    public struct Track: Equatable, Sendable {
        /// As in the file: "de", "ger", "de-AT"; empty if the file has none.
        public var language: String
        public var title: String
        /// Whether it is the one that is read.
        public var isChosen: Bool

        public init(language: String = "", title: String = "", isChosen: Bool = false) {
            self.language = language
            self.title = title
            self.isChosen = isChosen
        }
    }
}

extension MediaInfo.Chapter {
    static func put(_ chapters: [MediaInfo.Chapter], into writer: inout MessageWriter) {
        let listed = chapters.prefix(WireLimit.chapters)
        writer.put(UInt32(listed.count))
        for chapter in listed {
            writer.put(chapter.start)
            writer.put(chapter.title, limit: WireLimit.name)
        }
    }

    static func list(_ reader: inout MessageReader) throws(WireError) -> [MediaInfo.Chapter] {
        let count = Int(try reader.number(UInt32.self))
        guard count <= WireLimit.chapters else { throw .tooLarge(count) }
        var chapters: [MediaInfo.Chapter] = []
        for _ in 0..<count {
            let chapter = MediaInfo.Chapter(start: try reader.time(), title: try reader.text(limit: WireLimit.name))
            guard chapter.start >= chapters.last?.start ?? 0 else { throw .invalid("chapter") }
            chapters.append(chapter)
        }
        return chapters
    }
}

extension MediaInfo.Track {
    static func put(_ tracks: [MediaInfo.Track], into writer: inout MessageWriter) {
        let listed = tracks.prefix(WireLimit.tracks)
        writer.put(UInt32(listed.count))
        for track in listed {
            writer.put(track.language, limit: WireLimit.name)
            writer.put(track.title, limit: WireLimit.name)
            writer.put(track.isChosen)
        }
    }

    static func list(_ reader: inout MessageReader) throws(WireError) -> [MediaInfo.Track] {
        let count = Int(try reader.number(UInt32.self))
        guard count <= WireLimit.tracks else { throw .tooLarge(count) }
        var tracks: [MediaInfo.Track] = []
        for _ in 0..<count {
            tracks.append(
                MediaInfo.Track(
                    language: try reader.text(limit: WireLimit.name), title: try reader.text(limit: WireLimit.name),
                    isChosen: try reader.flag()))
        }
        return tracks
    }
}
