import Wire

/// Turns a DASH manifest into HLS playlists: a master playlist of its representations, and a media playlist for each on
/// request. On the session's thread.
final class DashPlaylists: PlaylistFinder {
    /// A track and its period.
    private typealias Part = (period: Int, track: DashTrack)

    /// Where there is a choice, the sound's bandwidth is at most this, in bits a second.
    private static let enoughForSound: Int64 = 200_000
    /// Where a file's boxes begin. An index without a stated offset is looked for there.
    private static let beginning: Int64 = 64 << 10

    private(set) var master: MasterPlaylist
    private let manifest: DashManifest
    private let client: ByteClient
    /// Tracks by the names that the master playlist uses. These are never
    /// requested: they differ only in the URL's fragment.
    private var parts: [String: [Part]] = [:]

    /// `url` identifies the manifest.
    init(_ manifest: DashManifest, url: String, client: ByteClient) {
        self.manifest = manifest
        self.client = client
        master = MasterPlaylist(variants: [], places: [])
        // A period without pictures does not count as a variant.
        let hasPictures = manifest.periods.contains { !$0.pictures.isEmpty }
        let main = hasPictures ? \DashManifest.Period.pictures : \.sounds
        let forms = manifest.periods.lazy.map { $0[keyPath: main] }.first { !$0.isEmpty } ?? []
        var sound: (name: String, form: DashTrack)?
        if hasPictures, let sounds = manifest.periods.lazy.map(\.sounds).first(where: { !$0.isEmpty }),
            let form = DashPlaylists.bestSound(sounds)
        {
            let name = "\(url)#sound"
            sound = (name, form)
            parts[name] = DashPlaylists.parts(of: form, in: manifest, \.sounds)
        }
        var variants: [MediaInfo.Variant] = []
        var places: [MasterPlaylist.Place] = []
        for (index, form) in forms.prefix(WireLimit.variants).enumerated() {
            let name = "\(url)#\(index)"
            parts[name] = DashPlaylists.parts(of: form, in: manifest, main)
            variants.append(
                MediaInfo.Variant(
                    bandwidth: form.bandwidth + (sound?.form.bandwidth ?? 0), width: form.width, height: form.height,
                    codecs: form.codecs))
            places.append(MasterPlaylist.Place(url: name, soundURL: sound?.name))
        }
        master = MasterPlaylist(variants: variants, places: places)
    }

    private static func bestSound(_ sounds: [DashTrack]) -> DashTrack? {
        let modest = sounds.filter { $0.bandwidth <= enoughForSound }
        return modest.max { $0.bandwidth < $1.bandwidth } ?? sounds.min { $0.bandwidth < $1.bandwidth }
    }

    /// The track of each period that continues `form`: the one with the same name, else the most similar one.
    private static func parts(
        of form: DashTrack, in manifest: DashManifest, _ tracks: KeyPath<DashManifest.Period, [DashTrack]>
    ) -> [Part] {
        manifest.periods.enumerated().compactMap { index, period in
            let offered = period[keyPath: tracks]
            let same = offered.first { $0.id == form.id && !form.id.isEmpty }
            let nearest = offered.min {
                abs($0.bandwidth - form.bandwidth) < abs($1.bandwidth - form.bandwidth)
            }
            return (same ?? nearest).map { (index, $0) }
        }
    }

    // MARK: Playlists

    /// Nothing to do: these playlists need no request.
    func expect(_ url: String) {}

    /// Blocks if a file's index must be read.
    func playlist(at url: String) throws(MediaError) -> MediaPlaylist {
        guard let parts = parts[url], let first = parts.first else {
            throw MediaError(.notMedia, "its manifest lists nothing playable")
        }
        var spans: [DashSpan] = []
        var headers: [MediaPlaylist.Piece?] = []
        var origins: [Int64: Microseconds] = [:]
        var count = 0
        for (place, part) in parts.enumerated() {
            let period = manifest.periods[part.period]
            let index = try fileIndex(of: part.track)
            let segments = try DashSegments(part.track, period: period.duration, index: index)
            count += segments.list.count
            guard count <= MediaPlaylist.maxSegments else {
                throw MediaError(.limits, "its manifest has more than \(MediaPlaylist.maxSegments) segments")
            }
            headers.append(try header(of: segments, part.track))
            origins[Int64(part.period)] =
                DashTime.microseconds(segments.origin, segments.timescale) - period.start
            let next = parts[place...].dropFirst().first.map { manifest.periods[$0.period].start }
            spans += DashSpan.spans(of: segments, part: place, from: period.start, until: next)
        }
        var writer = PlaylistWriter(base: first.track.base)
        var written: Microseconds = 0
        var domain = 0
        for (index, span) in spans.enumerated() {
            let part = parts[span.part]
            // The segments of a playlist follow each other: one without a time begins where the previous one ends.
            let end = max(written, index + 1 < spans.count ? spans[index + 1].start : span.end)
            for _ in domain..<part.period { writer.addDiscontinuity() }
            domain = part.period
            if index == 0 || spans[index - 1].part != span.part { try writer.addMap(headers[span.part]) }
            try writer.addSegment(
                span.segment.reference, of: part.track.base, offset: span.segment.range?.offset ?? 0,
                length: span.segment.range?.length ?? -1, duration: end - written)
            written = end
        }
        var playlist = try writer.playlist()
        playlist.origins = origins
        return playlist
    }

    private func header(of segments: DashSegments, _ track: DashTrack) throws(MediaError) -> MediaPlaylist.Piece? {
        guard let header = segments.header else { return nil }
        guard let url = PlaylistWriter.resolve(header.reference, track.base) else { throw PlaylistWriter.noPlace }
        return MediaPlaylist.Piece(url: url, offset: header.range?.offset ?? 0, length: header.range?.length ?? -1)
    }

    /// The index of a track that is a single file; nil if there is no readable index. Blocks.
    private func fileIndex(of track: DashTrack) throws(MediaError) -> DashIndex? {
        let addressing = track.addressing
        guard addressing.map({ $0.name == "SegmentBase" }) ?? true else { return nil }
        let given = addressing?["indexRange"].flatMap { DashSegments.range($0) }
        let range = given ?? DashSegments.Range(offset: 0, length: DashPlaylists.beginning)
        guard range.length <= DashIndex.maxBytes else { return nil }
        let source = try client.open(
            ByteWant(url: track.base, role: .segment, offset: range.offset, end: range.offset + range.length))
        let bytes = try source.whole(limit: DashIndex.maxBytes, what: "the index of its segments")
        let index = DashIndex(bytes, at: range.offset)
        // An index that was only found by searching may cover just the first fragment, with others to follow.
        return given != nil || index?.end == source.length ? index : nil
    }
}

/// A segment and its place in the clip.
struct DashSpan {
    /// The number of the period.
    var part: Int
    var start: Microseconds
    var end: Microseconds
    var segment: DashSegments.Segment

    /// The segments of a period that begins at `start` in the clip. Leaves out
    /// segments entirely before that or after `end`.
    static func spans(
        of segments: DashSegments, part: Int, from start: Microseconds, until end: Microseconds?
    ) -> [DashSpan] {
        segments.list.compactMap { segment in
            func time(_ ticks: Int64) -> Microseconds {
                min(start + DashTime.microseconds(ticks - segments.origin, segments.timescale), MediaTime.longest)
            }
            let span = DashSpan(
                part: part, start: max(start, time(segment.time)), end: time(segment.time + segment.duration),
                segment: segment)
            let isShown = segments.list.count == 1 || span.end > start && span.start < end ?? .max
            return isShown ? span : nil
        }
    }
}
