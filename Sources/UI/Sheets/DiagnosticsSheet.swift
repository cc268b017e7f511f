import Model

extension State {
    /// First why the clip plays badly, then the clip's properties, then the resources that flick uses for it.
    var diagnosticEntries: [SheetEntry] {
        let figures = clip.diagnostics
        return whyEntries + [.heading("Playback")] + chosenEntries + playingEntries(figures) + [.heading("The clip")]
            + clipEntries
            + [.heading("Machine")] + machineEntries(figures ?? Diagnostics())
    }

    /// Why the clip is in For You, and what turns that off.
    private var whyEntries: [SheetEntry] {
        guard let reason = forYouReason else { return [] }
        let how = keyLabel(of: .notInterested) ?? "set enabled = false under [for_you] in config.toml"
        return [.heading("For You"), .text(reason), .text("To turn For You off: \(how)")]
    }

    /// The repeated part and the sleep timer.
    private var chosenEntries: [SheetEntry] {
        let part: [SheetEntry] = seeking.repeats.part.map { [.pair("repeats", $0.words)] } ?? []
        return part + (playback.sleep.left.map { [.pair("sleep timer", $0)] } ?? [])
    }

    private func playingEntries(_ figures: Diagnostics?) -> [SheetEntry] {
        guard let figures else { return [.text("no measurements yet")] }
        let isFile = content?.item.isFile ?? true
        let dropped = figures.dropped == 0 ? "none" : "\(figures.dropped)"
        var entries: [SheetEntry] = [
            .pair("dropped", "\(dropped) of \(figures.shown + figures.dropped) frames")
        ]
        // The first figure comes after a second.
        if figures.picturesPerSecond > 0 {
            let pictures = Int(min(figures.picturesPerSecond, 9_999).rounded())
            entries.append(.graph("frame rate", past: clip.rates.pictures, "\(pictures) fps"))
        }
        if !isFile {
            let link = figures.throughput.map(Self.rate) ?? "not measured yet"
            entries.append(.graph("link", past: clip.rates.link, link))
        }
        if let ahead = figures.ahead {
            entries.append(.pair("buffered", "\(Self.tenths(min(max(ahead.seconds, 0), 99_999))) s"))
        }
        entries.append(.pair("cache", isFile ? "not needed for a file" : cached))
        let drift = Int(figures.drift.milliseconds.rounded())
        entries.append(.pair("audio sync", "\(abs(drift)) ms \(drift < 0 ? "behind" : "ahead")"))
        if playback.savesData { entries.append(.pair("data saver", "on")) }
        if figures.recoveries > 0 {
            let why = figures.lastRecovery.map { ", last: \($0)" } ?? ""
            entries.append(.pair("restarted", times(figures.recoveries) + why))
        }
        return entries
    }

    /// How much of the clip is on disk.
    private var cached: String {
        let share = clip.cached.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        let percent = Int((min(max(share, 0), 1) * 100).rounded(.down))
        return percent == 100 ? "complete" : "\(percent) %"
    }

    private var clipEntries: [SheetEntry] {
        let failed: [SheetEntry] = clip.failure.map { [.pair("failed", $0.detail)] } ?? []
        guard let facts = clip.facts else { return failed.isEmpty ? [.text("not open yet")] : failed }
        var entries: [SheetEntry] = failed
        entries += [
            .pair("container", Self.list(facts.container)), .pair("video", facts.video ?? "none"),
            .pair("audio", facts.audio ?? "none"),
        ]
        if let size = facts.displaySize { entries.append(.pair("size", area(size.width, size.height))) }
        entries.append(.pair("duration", facts.duration.map { Label.clock($0) } ?? "unknown"))
        if !clip.chapters.isEmpty {
            entries.append(.pair("chapters", "\(clip.chapters.count)"))
        }
        if let sound = clip.soundWords { entries.append(.pair("audio track", sound)) }
        if let sound = clip.diagnostics?.loudness {
            entries.append(.pair("loudness", "\(Self.tenths(sound.loudness)) LUFS, \(sound.origin.words)"))
            entries.append(.pair("gain", "\(sound.gain < 0 ? "" : "+")\(Self.tenths(sound.gain)) dB"))
        }
        if !facts.textTracks.isEmpty {
            let names = facts.textTracks.enumerated().map { $0.element.name(number: $0.offset + 1) }
            entries.append(.pair("subtitles", names.prefix(8).joined(separator: ", ")))
        }
        if tuning.audioDelay != .zero { entries.append(.pair("audio delay", Self.words(ofDelay: tuning.audioDelay))) }
        if tuning.subtitleDelay != .zero {
            entries.append(.pair("subtitle delay", Self.words(ofDelay: tuning.subtitleDelay)))
        }
        guard let variant = clip.diagnostics?.variant else { return entries }
        let size = variant.size.map { area($0.width, $0.height) } ?? "size unknown"
        let rate = variant.bitrate > 0 ? ", " + Self.rate(variant.bitrate) : ""
        entries.append(.pair("variant", size + rate))
        if !variant.why.isEmpty { entries.append(.pair("chosen", variant.why)) }
        return entries
    }

    private func machineEntries(_ figures: Diagnostics) -> [SheetEntry] {
        var entries: [SheetEntry] = [
            .pair("decoder", figures.decoderPID > 0 ? "process \(figures.decoderPID)" : "none")
        ]
        if figures.picture.width > 0 {
            entries.append(.pair("frame size", area(figures.picture.width, figures.picture.height)))
        }
        if figures.bytesPerSecond > 0 {
            entries.append(.pair("writes", "\(Label.speed(Int64(figures.bytesPerSecond))) to the terminal"))
        }
        if let roundTrip = figures.roundTrip {
            let takes = figures.terminalRate.map { ", accepts \(Label.speed(Int64($0)))" } ?? ""
            entries.append(.pair("latency", "\(Int(roundTrip.milliseconds.rounded(.up))) ms\(takes)"))
        }
        guard !options.isPlain else { return entries }
        return entries + [
            .pair("terminal", "\(area(size.columns, size.rows)) cells"),
            .pair("surface", "\(options.pictureMode.rawValue), \(options.color.rawValue)"),
            .pair("cell shape", options.knowsCellAspect ? "reported by the terminal" : "assumed 1:2"),
        ]
    }

    /// "720 × 1280".
    private func area(_ width: Int, _ height: Int) -> String { "\(width) \(options.isASCII ? "x" : "×") \(height)" }

    /// With blanks behind the commas, where it can be wrapped.
    private static func list(_ names: String) -> String { names.split(separator: ",").joined(separator: ", ") }

    private func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }

    /// "803 kbit/s", "2.1 Mbit/s".
    static func rate(_ bits: Int64) -> String {
        bits < 1_000_000 ? "\(max(bits, 0) / 1_000) kbit/s" : "\(tenths(min(Double(bits) / 1e6, 99_999))) Mbit/s"
    }

    /// A real number with one decimal.
    private static func tenths(_ number: Double) -> String {
        let tenths = Int((number.magnitude * 10).rounded())
        return "\(number < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
    }
}

extension LoudnessOrigin {
    fileprivate var words: String {
        switch self {
        case .tag: "from tags"
        case .partial: "measured so far"
        case .whole: "measured"
        }
    }
}
