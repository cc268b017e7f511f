import Model

/// A line of the sheet "Quality". A value.
enum QualityChoice: Sendable, Equatable {
    /// The variant that suits the terminal and the network.
    case automatic
    /// One that the clip offers: a place in `ClipFacts.variants`.
    case variant(Int)
    case dataSaver
}

extension State {
    /// What can be chosen for the current clip: its variants, the best first, none that looks like another.
    var qualityChoices: [QualityChoice] {
        let offered = (clip.facts?.variants ?? []).enumerated().filter(\.element.isPlayable)
        let ordered = offered.sorted {
            ($1.element.pixels, $1.element.bitrate) < ($0.element.pixels, $0.element.bitrate)
        }
        var (seen, places): (Set<String>, [Int]) = ([], [])
        for (place, variant) in ordered where seen.insert("\(variant.name) \(variant.rate)").inserted {
            places.append(place)
        }
        return [.automatic] + (places.count > 1 ? places.map { .variant($0) } : []) + [.dataSaver]
    }

    /// What the current clip is played by.
    private var quality: QualityChoice {
        if let chosen = tuning.variant, clip.facts?.variants.indices.contains(chosen) != false {
            return .variant(chosen)
        }
        return playback.savesData ? .dataSaver : .automatic
    }

    var qualityEntries: [SheetEntry] {
        let (choices, quality) = (qualityChoices, self.quality)
        let entries = choices.map { choice in
            let isChosen = choice == quality
            let (name, key) = words(of: choice, isChosen: isChosen)
            if options.isPlain { return SheetEntry.choice(name, key: isChosen ? "selected" : key) }
            let mark = options.isASCII ? (isChosen ? "(*)" : "( )") : isChosen ? "●" : "○"
            return SheetEntry.choice("\(mark) \(name)", key: key)
        }
        guard choices.count == 2, clip.facts != nil else { return entries }
        let only = clip.facts?.variants.first?.size ?? clip.facts?.displaySize
        return [.text("This clip has one quality\(only.map { ": \($0.qualityName)" } ?? "").")] + entries
    }

    private func words(of choice: QualityChoice, isChosen: Bool) -> (name: String, key: String) {
        switch choice {
        case .automatic:
            let now = isChosen && qualityChoices.count > 2 ? clip.diagnostics?.variant : nil
            return (now.map { "Auto (\($0.name))" } ?? "Auto", "")
        case .variant(let place):
            let variant = clip.facts?.variants[place]
            return (variant?.name ?? "", variant?.size == nil ? "" : variant?.rate ?? "")
        case .dataSaver: return ("Data saver", "all clips")
        }
    }

    /// Opens the sheet at what is chosen.
    mutating func openQuality() -> [Effect] {
        let closed = open(Sheet.quality)
        if view.sheet == .quality { view.go(to: qualityChoices.firstIndex(of: quality) ?? 0) }
        return closed
    }

    /// A line of the sheet was chosen. A variant is for this clip; data saver is for all, and ends with "Auto".
    mutating func chooseQuality(_ line: Int, now: Duration) -> [Effect] {
        let choices = qualityChoices
        guard choices.indices.contains(line) else { return [] }
        var tuning = self.tuning
        switch choices[line] {
        case .automatic:
            toasts.show(playback.savesData ? "Data saver off" : "Quality: auto", about: .clip, now: now)
            tuning.variant = nil
            return tune(tuning) + saveData(false)
        case .variant(let place):
            toasts.show("Quality: \(words(of: choices[line], isChosen: true).name)", about: .clip, now: now)
            tuning.variant = place
            return tune(tuning)
        case .dataSaver:
            toasts.show("Data saver on", now: now)
            tuning.variant = nil
            return tune(tuning) + saveData(true)
        }
    }

    private mutating func saveData(_ savesData: Bool) -> [Effect] {
        guard savesData != playback.savesData else { return [] }
        playback.savesData = savesData
        return [.setSavesData(savesData), keepWarm()]
    }
}

extension ClipVariant {
    fileprivate var pixels: Int { size.map { $0.width * $0.height } ?? 0 }

    fileprivate var rate: String { bitrate > 0 ? State.rate(bitrate) : "" }

    /// "720p"; without a size "2.1 Mbit/s".
    fileprivate var name: String { size?.qualityName ?? (rate.isEmpty ? "unknown" : rate) }
}

extension PixelSize {
    /// "720p": by the shorter side, whichever way the picture stands.
    fileprivate var qualityName: String { "\(min(width, height))p" }
}
