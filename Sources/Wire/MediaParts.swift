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

extension MediaInfo {
    func put(into writer: inout MessageWriter) {
        writer.put(container, limit: WireLimit.words)
        writer.put(min(max(duration, -1), WireLimit.time - 1))
        writer.put(isSeekable)
        writer.put(isStill)
        writer.put(rotation)
        writer.put(min(displayWidth, WireLimit.side))
        writer.put(min(displayHeight, WireLimit.side))
        writer.put(sampleAspectNumerator)
        writer.put(sampleAspectDenominator)
        let listed = streams.prefix(WireLimit.streams)
        writer.put(UInt32(listed.count))
        for stream in listed {
            writer.put(stream.index)
            writer.put(stream.kind.rawValue)
            writer.put(stream.codec, limit: WireLimit.name)
            writer.put(stream.profile, limit: WireLimit.name)
            writer.put(stream.language, limit: WireLimit.name)
            writer.put(stream.bitrate)
            writer.put(stream.width)
            writer.put(stream.height)
            writer.put(stream.format, limit: WireLimit.name)
            writer.put(stream.rate)
            writer.put(stream.channels)
            writer.put(stream.isChosen)
        }
        let offered = variants.prefix(WireLimit.variants)
        writer.put(UInt32(offered.count))
        for variant in offered {
            writer.put(variant.bandwidth)
            writer.put(variant.width)
            writer.put(variant.height)
            writer.put(variant.codecs, limit: WireLimit.name)
            writer.put(variant.isPlayable)
            writer.put(variant.isChosen)
            writer.put(variant.why, limit: WireLimit.words)
        }
        for text in [tags.title, tags.artist, tags.album, tags.comment, tags.genre, tags.date] {
            writer.put(text, limit: WireLimit.tag)
        }
        Chapter.put(chapters, into: &writer)
        Track.put(soundTracks, into: &writer)
        Track.put(textTracks, into: &writer)
    }

    init(reading reader: inout MessageReader) throws(WireError) {
        self.init(
            container: try reader.text(limit: WireLimit.words), duration: try reader.time(),
            isSeekable: try reader.flag(), streams: [])
        isStill = try reader.flag()
        rotation = try reader.number()
        guard [0, 90, 180, 270].contains(rotation) else { throw .invalid("rotation") }
        displayWidth = try reader.number()
        displayHeight = try reader.number()
        guard max(displayWidth, displayHeight) <= WireLimit.side else { throw .invalid("display size") }
        sampleAspectNumerator = try reader.number()
        sampleAspectDenominator = try reader.number()
        let count = Int(try reader.number(UInt32.self))
        guard count <= WireLimit.streams else { throw .tooLarge(count) }
        for _ in 0..<count {
            let index = try reader.number(UInt32.self)
            guard let kind = Stream.Kind(rawValue: try reader.number()) else { throw .invalid("stream kind") }
            streams.append(
                Stream(
                    index: index, kind: kind, codec: try reader.text(limit: WireLimit.name),
                    profile: try reader.text(limit: WireLimit.name), language: try reader.text(limit: WireLimit.name),
                    bitrate: try reader.number(), width: try reader.number(),
                    height: try reader.number(), format: try reader.text(limit: WireLimit.name),
                    rate: try reader.number(),
                    channels: try reader.number(), isChosen: try reader.flag()))
        }
        let offered = Int(try reader.number(UInt32.self))
        guard offered <= WireLimit.variants else { throw .tooLarge(offered) }
        for _ in 0..<offered {
            var variant = Variant(
                bandwidth: try reader.number(), width: try reader.number(), height: try reader.number(),
                codecs: try reader.text(limit: WireLimit.name))
            variant.isPlayable = try reader.flag()
            variant.isChosen = try reader.flag()
            variant.why = try reader.text(limit: WireLimit.words)
            variants.append(variant)
        }
        tags = Tags(
            title: try reader.text(limit: WireLimit.tag), artist: try reader.text(limit: WireLimit.tag),
            album: try reader.text(limit: WireLimit.tag), comment: try reader.text(limit: WireLimit.tag),
            genre: try reader.text(limit: WireLimit.tag), date: try reader.text(limit: WireLimit.tag))
        chapters = try Chapter.list(&reader)
        soundTracks = try Track.list(&reader)
        textTracks = try Track.list(&reader)
    }
}
