import Model

/// Reads lists of clips in XSPF 1 (xspf.org), an entry at a time.
enum XSPFReader {
    /// Passes each track to `entry` when it ends, with the list's properties read so far, until
    /// `entry` returns false. Returns nil if it is no such list. Blocks.
    ///
    /// - Parameters:
    ///   - url: the absolute URL of the list, which entries are relative to. `URLAccessPolicy` is not applied.
    ///   - charset: the encoding, as the server names it; nil if it does not.
    static func read(
        _ stream: ByteStream, at url: String, charset: String?, entry: (FeedEntry, ListFacts) -> Bool
    ) throws(MarkupParser.ParseError) -> ListFacts? {
        try MarkupParser.entries(of: stream, charset: charset, entry) { add in XSPFHandler(base: url, add: add) }
    }
}

/// Gathers the fields of one track after the other. Elements count by their names, whatever their namespace.
private struct XSPFHandler: EntryHandler {
    private(set) var facts = ListFacts()
    private(set) var isList = false
    private(set) var isDone = false

    private let add: (FeedEntry, ListFacts) -> Bool
    /// The bases of relative addresses, and the depth of the element that declares each (XML Base).
    private var bases: [(url: String, depth: Int)]
    private var depth = 0
    /// How deep the current track is.
    private var trackDepth: Int?
    private var track = FeedEntry()
    /// How deep the element is whose text is gathered.
    private var textDepth: Int?
    private var text = ""

    init(base: String, add: @escaping (FeedEntry, ListFacts) -> Bool) {
        bases = [(base, 0)]
        self.add = add
    }

    func finish() -> ListFacts? { isList ? facts : nil }

    private var base: String { bases.last?.url ?? "" }

    mutating func begin(_ element: MarkupElement) {
        depth += 1
        let name = element.name.lowercased()
        if depth == 1 {
            isList = name == "playlist"
            isDone = !isList
        }
        let given = element.attributes.first {
            $0.name == "base" && $0.namespace.hasPrefix("http://www.w3.org/XML/")
        }
        if let given, let url = URLParts.resolve(given.value.stripped, against: base) {
            bases.append((url, depth))
        }
        if name == "track", trackDepth == nil {
            trackDepth = depth
            track = FeedEntry()
        }
        // Only the fields of the list and of the track, not those of an extension in it.
        if depth == (trackDepth ?? 1) + 1 {
            textDepth = depth
            text = ""
        }
    }

    mutating func text(_ text: String) {
        guard textDepth == depth, self.text.utf8.count < ItemLimit.text * 4 else { return }
        self.text += text
    }

    mutating func end(namespace: String, name: String) {
        let name = name.lowercased()
        if textDepth == depth {
            textDepth = nil
            set(name, text.stripped)
        }
        if trackDepth == depth {
            trackDepth = nil
            if !add(track, facts) { isDone = true }
        }
        if let base = bases.last, base.depth == depth, depth > 0 { bases.removeLast() }
        depth -= 1
    }

    private mutating func set(_ name: String, _ value: String) {
        guard !value.isEmpty else { return }
        guard trackDepth != nil else {
            if name == "title" { facts.title = facts.title ?? value.cut(to: ItemLimit.title) }
            return
        }
        switch name {
        case "location":
            // Several are one thing in several forms.
            guard track.media.count < ItemLimit.list, let url = address(value) else { return }
            track.media.append(FeedMedia(url: url))
        case "identifier": track.id = track.id ?? value.cut(to: ItemLimit.word)
        case "title": track.title = track.title ?? plain(value, limit: ItemLimit.title)
        case "annotation":
            track.description = track.description ?? plain(value, limit: ItemLimit.text)
        case "creator":
            track.creator = track.creator ?? Item.Creator(name: value.cut(to: ItemLimit.word))
        case "info": track.link = track.link ?? address(value)
        case "image":
            if track.thumbnails.isEmpty { track.thumbnails = address(value).map { [$0] } ?? [] }
        case "duration":
            guard let milliseconds = Double(value), milliseconds > 0, milliseconds < 1e12 else { return }
            track.duration = .milliseconds(Int(milliseconds.rounded()))
        default: break
        }
    }

    private func plain(_ value: String, limit: Int) -> FeedEntry.Text? {
        value.cut(to: limit).map { FeedEntry.Text(text: $0, isMarkup: false) }
    }

    private func address(_ value: String) -> String? {
        value.utf8.count > ItemLimit.url ? nil : URLParts.resolve(value, against: base)
    }
}
