import Wire

/// Chooses which variant is read. Pure: the caller passes the time, the network's speed and what is buffered.
///
/// It never chooses more pixels than the surface needs if a smaller variant covers it, nor more bits than the network
/// carries if there is a smaller variant.
struct VariantChoice {
    struct Decision: Equatable {
        /// An index in the playlist's order.
        var index: Int
        /// One line for people.
        var why: String
    }

    /// The limit at the start, before the network's speed is known.
    static let maxBitsAtStart: Int64 = 750_000
    static let maxAtStart: (long: UInt32, short: UInt32) = (1_280, 720)
    /// The share of the network's speed that a variant may use, and the share for a step up.
    private static let usable = 0.8
    private static let usableForMore = 0.7
    /// Less buffered time than this, and shrinking, causes a step down.
    private static let tooLittle: Microseconds = 4_000_000
    /// This much read since the clip came into view, played or buffered, is needed for a step up.
    private static let enough: Microseconds = 10_000_000
    /// How long to wait with a step up after a step down.
    private static let pauseAfterDown: Microseconds = 10_000_000
    /// The shorter side of a picture that can be watched on any surface.
    private static let watchable: UInt32 = 240
    /// How long a variant that cannot be read is left out.
    private static let exclusion: Microseconds = 60_000_000

    private struct Form {
        var index: Int
        var bits: Int64
        var width: UInt32
        var height: UInt32
        var pixels: UInt64 { UInt64(width) * UInt64(height) }
    }

    /// The variants that can be played, ordered by bits.
    private let all: [Form]
    /// Those of them that are not excluded. Never empty.
    private var forms: [Form]
    /// Variants that could not be read, and until when they are left out.
    private var excluded: [Int: Microseconds] = [:]
    /// The network's recently measured speed in bits a second; 0 while unknown.
    var link: Int64 = 0
    var surface: SurfaceRequest?
    /// The most bits a second of the variant to begin with.
    var maxBits = maxBitsAtStart
    /// What the user wants; with anything but `.automatic` neither the limits of the start nor what is buffered count.
    var wish = VariantWish.automatic
    private(set) var current = 0
    private var timeOfDown: Microseconds?
    private var bufferedBefore: Microseconds?

    /// `usable` says for each variant whether it can be opened at all; if none can, all count.
    init(_ variants: [MediaInfo.Variant], usable: [Bool]) {
        var indices = variants.indices.filter { usable[$0] && VariantChoice.canDecode(variants[$0].codecs) }
        if indices.isEmpty { indices = Array(variants.indices) }
        // Choose sound without pictures only if there is nothing else.
        let shown = indices.filter { !VariantChoice.isSoundOnly(variants[$0]) }
        all = (shown.isEmpty ? indices : shown).map {
            Form(
                index: $0, bits: max(0, variants[$0].bandwidth), width: variants[$0].width, height: variants[$0].height)
        }.sorted { ($0.bits, $0.pixels) < ($1.bits, $1.pixels) }
        forms = all
    }

    /// Whether a variant can be chosen at all, by the playlist's order.
    func canPlay(_ index: Int) -> Bool { all.contains { $0.index == index } }

    private static func canDecode(_ codecs: String) -> Bool {
        codecs.split(separator: ",").allSatisfy { codec in
            // Excludes Dolby Vision without a base layer; anything else is found out when it is opened.
            !["dvh1", "dvhe", "dva1", "dvav"].contains { codec.drop { $0 == " " }.hasPrefix($0) }
        }
    }

    private static func isSoundOnly(_ variant: MediaInfo.Variant) -> Bool {
        guard variant.width == 0, !variant.codecs.isEmpty else { return false }
        return variant.codecs.split(separator: ",").allSatisfy { codec in
            ["mp4a", "ac-3", "ec-3", "opus", "Opus", "fLaC", "alac", "mp3"].contains {
                codec.drop { $0 == " " }.hasPrefix($0)
            }
        }
    }

    // MARK: Decisions

    /// The variant to begin with. `isCold`: nothing was played yet, so the limits of the start apply.
    mutating func start(isCold: Bool) -> Decision {
        if let wanted = wanted() {
            (current, bufferedBefore) = (wanted.index, nil)
            return wanted
        }
        let needed = needed()
        let fitting = needed.filter { (!isCold || isSmall($0)) && carries($0, VariantChoice.usable) }
        // There is at least one form, and the first has the fewest bits.
        let chosen = best(fitting) ?? needed[0]
        current = chosen.index
        bufferedBefore = nil
        return Decision(index: chosen.index, why: reason(chosen, needed, isCold: isCold))
    }

    /// Whether to continue with another variant where a segment ends.
    /// `buffered` is how much has been read and not played, of at most `limit`.
    ///
    /// What is buffered counts by its share of the limit, as more may not be read. The
    /// limit grows while the clip is played, so a step up comes at the segment at which
    /// it would come if all of the limit held from the beginning, or at one before.
    ///
    /// - Parameters:
    ///   - played: how much was played since the clip came into view.
    ///   - isWatched: whether the clip is visible. If not, little is read ahead, which shows nothing about the network.
    mutating func next(
        buffered: Microseconds, of limit: Microseconds = ReadAheadGrowth.most, played: Microseconds = 0,
        isWatched: Bool, now: Microseconds
    ) -> Decision? {
        defer { bufferedBefore = isWatched ? buffered : nil }
        updateForms(at: now)
        if let wanted = wanted() {
            defer { current = wanted.index }
            return wanted.index == current ? nil : wanted
        }
        guard let form = forms.first(where: { $0.index == current }) else { return nil }
        let needed = needed()
        if !needed.contains(where: { $0.index == current }), let smaller = best(needed.filter { carries($0, 1) }) {
            return go(to: smaller, why: reason(smaller, needed, isCold: false))
        }
        if !carries(form, 1) {
            let less = best(needed.filter { carries($0, VariantChoice.usable) }) ?? needed[0]
            guard less.bits < form.bits else { return nil }
            timeOfDown = now
            return go(to: less, why: linkReason)
        }
        if let before = bufferedBefore, buffered < min(before, VariantChoice.tooLittle, limit / 2),
            let less = needed.last(where: { $0.bits < form.bits })
        {
            timeOfDown = now
            return go(to: less, why: "buffer running low")
        }
        guard buffered >= limit / 2, buffered + played >= VariantChoice.enough,
            now - (timeOfDown ?? now - VariantChoice.pauseAfterDown) >= VariantChoice.pauseAfterDown,
            let more = needed.first(where: { $0.bits > form.bits && $0.pixels >= form.pixels }),
            carries(more, VariantChoice.usableForMore)
        else { return nil }
        return go(to: more, why: reason(more, needed, isCold: false))
    }

    /// The variant that the user wants; nil if that is the one that fits best, or one that cannot be read.
    private func wanted() -> Decision? {
        switch wish {
        case .automatic: return nil
        case .index(let index):
            return forms.first { $0.index == Int(index) }.map { Decision(index: $0.index, why: "chosen by hand") }
        case .smallest:
            let needed = needed()
            let form = needed.first(where: canBeWatched) ?? best(needed) ?? needed[0]
            if carries(form, form.index == current ? 1 : VariantChoice.usableForMore) {
                return Decision(index: form.index, why: "data saver")
            }
            return Decision(index: needed[0].index, why: linkReason)
        }
    }

    /// Whether a form has half of the surface's resolution, or enough for any surface.
    private func canBeWatched(_ form: Form) -> Bool {
        guard form.pixels > 0, min(form.width, form.height) < VariantChoice.watchable, var half = surface else {
            return true
        }
        (half.width, half.height) = (half.width / 2, half.height / 2)
        return VariantChoice.covers(form, half)
    }

    /// The clip continues elsewhere: the loss of the read-ahead says nothing about the network.
    mutating func noteSeek() { bufferedBefore = nil }

    /// A variant cannot be read, so it is left out for a while. Returns whether there are others. If none is left, the
    /// fault is not the variant's, and all count again.
    mutating func exclude(_ index: Int, now: Microseconds) -> Bool {
        excluded[index] = now + VariantChoice.exclusion
        return updateForms(at: now)
    }

    /// The variant to continue with in place of the current one, which cannot be read; nil if there is no other.
    mutating func replaceCurrent(now: Microseconds) -> Decision? {
        guard exclude(current, now: now) else { return nil }
        if let wanted = wanted() {
            (current, bufferedBefore) = (wanted.index, nil)
            return wanted
        }
        let needed = needed()
        current = (best(needed.filter { carries($0, VariantChoice.usable) }) ?? needed[0]).index
        bufferedBefore = nil
        return Decision(index: current, why: "the previous variant cannot be read")
    }

    /// Returns whether any variant is not excluded.
    @discardableResult
    private mutating func updateForms(at now: Microseconds) -> Bool {
        guard !excluded.isEmpty else { return true }
        excluded = excluded.filter { $0.value > now }
        let left = all.filter { excluded[$0.index] == nil }
        if left.isEmpty { excluded = [:] }
        forms = left.isEmpty ? all : left
        return !left.isEmpty
    }

    /// The decision could not be carried out.
    mutating func goBack(to index: Int) { current = index }

    private mutating func go(to form: Form, why: String) -> Decision? {
        guard form.index != current else { return nil }
        current = form.index
        return Decision(index: form.index, why: why)
    }

    private func carries(_ form: Form, _ share: Double) -> Bool {
        link <= 0 || Double(form.bits) <= Double(link) * share
    }

    /// The forms with no more pixels than the surface needs, ordered by bits. Never empty.
    private func needed() -> [Form] {
        guard let surface, surface.width > 0, surface.height > 0 else { return forms }
        let covering = forms.filter { $0.pixels > 0 && VariantChoice.covers($0, surface) }
        guard let most = covering.map(\.pixels).min() else { return forms }
        return forms.filter { $0.pixels <= most }
    }

    private func best(_ forms: [Form]) -> Form? { forms.max { ($0.pixels, $0.bits) < ($1.pixels, $1.bits) } }

    private func isSmall(_ form: Form) -> Bool {
        form.bits <= maxBits && max(form.width, form.height) <= VariantChoice.maxAtStart.long
            && min(form.width, form.height) <= VariantChoice.maxAtStart.short
    }

    // MARK: Reasons

    private var linkReason: String { "bandwidth \(link / 1_000) kbit/s" }

    private func reason(_ form: Form, _ needed: [Form], isCold: Bool) -> String {
        // Not empty: see `needed`.
        let top = best(needed)!
        if form.index == top.index || form.pixels == top.pixels && form.pixels > 0 {
            guard form.pixels > 0 else { return forms.count == 1 ? "the only one" : "the first: no sizes given" }
            guard let surface, surface.width > 0, surface.height > 0 else {
                return "the largest: display size unknown"
            }
            let size = "\(surface.width)x\(surface.height)"
            return VariantChoice.covers(form, surface)
                ? "the smallest covering \(size)" : "the largest: none covers \(size)"
        }
        let better = needed.filter { ($0.pixels, $0.bits) > (form.pixels, form.bits) }
        if better.contains(where: { carries($0, VariantChoice.usable) }) {
            return isCold ? "small enough to start fast" : "one step up"
        }
        return linkReason
    }

    /// Whether the form has enough pixels for the surface.
    private static func covers(_ form: Form, _ surface: SurfaceRequest) -> Bool {
        let aspect = surface.pixelAspect
        let (width, height) = (Double(form.width), Double(form.height))
        // How many surface pixels, in units of their height, one pixel of the form fills.
        let (across, down) = (Double(surface.width) * aspect / width, Double(surface.height) / height)
        let fills = surface.isFilled(across: width / aspect, down: height)
        return (fills ? max(across, down) : min(across, down)) <= min(1, aspect)
    }
}
