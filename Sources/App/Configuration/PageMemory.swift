import Bytes
import Feeds
import Model
import UI

/// How the page was set when it was left, where that is not as configured: the next run begins with it. A value.
///
/// As JSON in the state directory. What cannot be used of it is as if it was not remembered.
struct PageMemory: Equatable, Sendable {
    /// 0 … 1.
    var volume: Double?
    var isMuted: Bool?
    var speed: Double?
    var fit: PictureFit?
    var theme: Theme.Name?

    init() {}

    init(json bytes: [UInt8]) {
        // `try?`: a damaged file is ignored; the next run replaces it.
        guard let json = try? JSON(whole: bytes) else { return }
        volume = json["volume"]?.asNumber.flatMap { (0...1).contains($0) ? $0 : nil }
        isMuted = json["muted"]?.asFlag
        speed = json["speed"]?.asNumber.flatMap { Playback.speeds.contains($0) ? $0 : nil }
        fit = json["fit"]?.asText(limit: 20).flatMap { PictureFit(rawValue: $0) }
        theme = json["theme"]?.asText(limit: 20).flatMap { Theme.Name(rawValue: $0) }
    }

    var json: String {
        var line = JSONLine()
        if let volume { line.put("volume", .number(volume)) }
        if let isMuted { line.put("muted", .flag(isMuted)) }
        if let speed { line.put("speed", .number(speed)) }
        if let fit { line.put("fit", .text(fit.rawValue)) }
        if let theme { line.put("theme", .text(theme.rawValue)) }
        return line.object + "\n"
    }

    /// Remembers what the user changed: what is at the end as it was at the start says nothing new.
    mutating func note(from start: PageMemory, to end: PageMemory) {
        if end.volume != start.volume { volume = end.volume }
        if end.isMuted != start.isMuted { isMuted = end.isMuted }
        if end.speed != start.speed { speed = end.speed }
        if end.fit != start.fit { fit = end.fit }
    }

    /// These settings; those of `other` where one is missing.
    func or(_ other: PageMemory) -> PageMemory {
        var all = other
        all.volume = volume ?? other.volume
        all.isMuted = isMuted ?? other.isMuted
        all.speed = speed ?? other.speed
        all.fit = fit ?? other.fit
        all.theme = theme ?? other.theme
        return all
    }
}

extension PageMemory {
    static let fileName = "page.json"
    private static let sizeLimit = 1 << 16

    /// What was remembered; nothing without a file. Blocks.
    init(at path: String?) {
        // `try?`: most often there is no file yet; one that cannot be read holds nothing that flick needs.
        let bytes = path.flatMap { try? FileProvider().readAll(FileURL.url(path: $0.utf8), limit: Self.sizeLimit) }
        self.init(json: bytes ?? [])
    }

    /// As the page is set.
    init(_ state: State) {
        let (sound, playback) = (state.playback.sound, state.playback)
        (volume, isMuted, speed, fit) = (sound.volume, sound.isMuted, playback.speed, playback.fit)
    }
}
