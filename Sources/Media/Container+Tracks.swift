internal import CFFmpeg
import Wire

/// What of a clip's tracks is wanted. A value.
struct TrackWishes {
    /// Tags as files write them, the best first.
    var soundLanguages: [String] = []
    /// A place in `MediaInfo.textTracks`.
    var text: Int?

    /// The first of `tracks` in the first wanted language that has any; nil if none matches.
    func sound(among tracks: [MediaInfo.Track]) -> Int? {
        for language in soundLanguages {
            let wanted = TrackWishes.primary(language)
            if let found = tracks.firstIndex(where: { TrackWishes.primary($0.language) == wanted }) { return found }
        }
        return nil
    }

    /// "de" of "de-AT" (RFC 5646, 2.2.1), in lower case. Only case and subtags
    /// are ignored: a caller that wants German lists "de", "deu" and "ger".
    private static func primary(_ tag: String) -> String {
        String(tag.prefix { $0 != "-" && $0 != "_" }).lowercased()
    }
}

/// Chapters, and the tracks that can be chosen.
extension Container {
    /// Sound that can be decoded, in the container's order.
    var soundStreams: [Stream] {
        streams.filter {
            let parameters = $0.pointee.codecpar.pointee
            return parameters.codec_type == AVMEDIA_TYPE_AUDIO && avcodec_find_decoder(parameters.codec_id) != nil
        }
    }

    /// Subtitles that are text, not pictures of it, in the container's order.
    var textStreams: [Stream] {
        streams.filter {
            let parameters = $0.pointee.codecpar.pointee
            guard parameters.codec_type == AVMEDIA_TYPE_SUBTITLE, avcodec_find_decoder(parameters.codec_id) != nil,
                let kind = avcodec_descriptor_get(parameters.codec_id)
            else { return false }
            return kind.pointee.props & AV_CODEC_PROP_TEXT_SUB != 0
        }
    }

    func tracks(_ streams: [Stream], chosen: Stream?) -> [MediaInfo.Track] {
        streams.prefix(WireLimit.tracks).map {
            MediaInfo.Track(
                language: Container.tag("language", of: $0.pointee.metadata),
                title: Container.tag("title", of: $0.pointee.metadata), isChosen: $0 == chosen)
        }
    }

    /// Empty if it is missing. ISO 639's code for an unknown language ("und") counts as missing.
    private static func tag(_ name: String, of tags: OpaquePointer?) -> String {
        guard let entry = av_dict_get(tags, name, nil, 0) else { return "" }
        let text = String(cString: entry.pointee.value)
        return name == "language" && text == "und" ? "" : text
    }

    /// The chapters that begin in the clip, in order. The clip's stamps begin at `origin`. Of two that
    /// begin at the same time only one is listed: the user cannot go to a chapter without a length.
    ///
    /// - Parameter duration: the clip's; -1 if unknown.
    func chapters(origin: Microseconds, duration: Microseconds) -> [MediaInfo.Chapter] {
        let count = min(Int(format.pointee.nb_chapters), WireLimit.chapters)
        guard count > 0, let listed = format.pointee.chapters else { return [] }
        let found = (0..<count).compactMap { index -> MediaInfo.Chapter? in
            guard let chapter = listed[index]?.pointee,
                let stamp = MediaTime.microseconds(chapter.start, of: chapter.time_base)
            else { return nil }
            let start = max(0, stamp - origin)
            guard duration < 0 || start < duration else { return nil }
            return MediaInfo.Chapter(start: start, title: Container.tag("title", of: chapter.metadata))
        }
        var chapters: [MediaInfo.Chapter] = []
        for chapter in found.sorted(by: { $0.start < $1.start }) where chapter.start != chapters.last?.start {
            chapters.append(chapter)
        }
        return chapters
    }
}
