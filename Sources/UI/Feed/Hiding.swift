import Model

/// What the user hides, as its sheet lists it. A value.
struct HiddenList: Sendable {
    /// Made on the page, the newest first.
    private(set) var rules: [HideRule] = []
    /// Those of the configuration, which only their file changes.
    private(set) var configured: [HideRule] = []
    /// The clip to go back to once it is in the feed again.
    var returning: Item.ID?

    /// The lines of the list.
    var lines: Int { rules.count + configured.count }
    var isEmpty: Bool { lines == 0 }

    /// The rules that hide clips: a place that is off is in the list, but hides nothing.
    var count: Int { rules.count { $0.kind != .place } + configured.count }

    mutating func renew(_ rules: [HideRule], configured: [HideRule]) {
        (self.rules, self.configured) = (rules, configured)
    }

    /// The clip to go back to, once.
    mutating func takeReturning() -> Item.ID? {
        defer { returning = nil }
        return returning
    }
}

extension HideRule {
    /// What it hides: "Clips by Ilma Kettu". Clean.
    func words(isASCII: Bool) -> String {
        let name = CleanText.line(name, limit: 120)
        let (open, close) = isASCII ? ("\"", "\"") : ("“", "”")
        return switch kind {
        case .clip: "The clip \(open)\(name)\(close)"
        case .creator: "Clips by \(name)"
        case .topic: "The topic #\(name.drop { $0 == "#" })"
        case .source: "All clips from \(name)"
        case .words: "Titles with \(open)\(name)\(close)"
        case .place: "The place \(name)"
        }
    }

    /// Turns a place off.
    public init(place: Place) { self.init(.place, value: place.rawValue, name: place.name) }

    /// The place that it turns off.
    public var place: Place? { kind == .place ? Place(rawValue: id.value) : nil }
}
