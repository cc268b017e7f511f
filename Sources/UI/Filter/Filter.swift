import Model

/// Looks for words in the loaded items' titles, creators and topics, some items
/// at a time, so that no key waits. A value.
struct Filter: Sendable, Equatable {
    /// Items that are looked at in one go: about a millisecond's work.
    static let slice = 400

    /// A match as the list shows it.
    struct Entry: Sendable, Equatable {
        var id: Item.ID
        var title: GlyphLine
        var name: GlyphLine
        /// What else it is found by: its folder, unless that is its name, and its topics.
        var others: [GlyphLine]
        var duration: Duration?
    }

    /// The most topics of an item that are looked at.
    private static let maxTopics = 12

    /// What is looked for, folded; all of it has to be there.
    private(set) var words: [[UInt8]] = []
    /// The indices of the items that match, in order.
    private(set) var matches: [Int] = []
    /// What matched fewer words, and has to be looked at again.
    private var candidates: ArraySlice<Int> = []
    /// The items before this one have been looked at, but for `candidates`.
    private var scanned = 0
    /// The chosen match; nil until the user has chosen one.
    var chosen: Int?
    /// The entries in view and near it, by their items' index: reading items can be slow.
    private var entries: [Int: Entry] = [:]

    /// Whether nothing is looked for.
    var isEmpty: Bool { words.isEmpty }

    func isDone(_ count: Int) -> Bool { words.isEmpty || candidates.isEmpty && scanned >= count }

    /// Looks for other words. Where these can only match what the words before matched, only that is looked at again.
    mutating func look(for text: String) {
        let new = LetterFold.words(text)
        guard new != words else { return }
        let isNarrower = !words.isEmpty && words.allSatisfy { old in new.contains { Self.find(old, in: $0) } }
        words = new
        chosen = nil
        if isNarrower {
            candidates = (matches + candidates)[...]
            matches = []
        } else {
            startOver()
        }
    }

    /// The items are others than before.
    mutating func startOver() {
        (matches, candidates, scanned, chosen, entries) = ([], [], 0, nil, [:])
    }

    /// Looks at the next items.
    mutating func scan(_ items: any ItemList) {
        guard !words.isEmpty else { return }
        var left = Self.slice
        while left > 0, let index = candidates.popFirst() {
            left -= 1
            if index < items.count, matches(items[index]) { matches.append(index) }
        }
        let end = min(scanned + left, items.count)
        while scanned < end {
            if matches(items[scanned]) { matches.append(scanned) }
            scanned += 1
        }
    }

    private func matches(_ item: Item) -> Bool {
        var text: [UInt8] = []
        text.reserveCapacity(160)
        LetterFold.append(Self.title(of: item), limit: 300, to: &text)
        for part in [item.creator?.name, item.folder].compactMap(\.self) {
            text.append(0x0A)
            LetterFold.append(part, limit: 120, to: &text)
        }
        for tag in item.tags.prefix(Self.maxTopics) {
            // As the page shows it, so that "#food" finds it too.
            text += [0x0A, UInt8(ascii: "#")]
            LetterFold.append(tag, limit: 40, to: &text)
        }
        return words.allSatisfy { Self.find($0, in: text) }
    }

    private static func title(of item: Item) -> String {
        guard let title = item.title, !title.isEmpty else { return SafeURL.text(item.url) }
        return title
    }

    /// Whether `word` is somewhere in `text`.
    static func find(_ word: [UInt8], in text: [UInt8]) -> Bool {
        guard let first = word.first, word.count <= text.count else { return word.isEmpty }
        return text.withUnsafeBufferPointer { text in
            word.withUnsafeBufferPointer { word in
                var place = 0
                while place <= text.count - word.count {
                    if text[place] == first {
                        var length = 1
                        while length < word.count, text[place + length] == word[length] { length += 1 }
                        if length == word.count { return true }
                    }
                    place += 1
                }
                return false
            }
        }
    }

    // MARK: The list

    /// How many items are listed of `total`: all while nothing is looked for.
    func count(of total: Int) -> Int { isEmpty ? total : matches.count }

    /// The index of the item at a place of the list.
    func index(at place: Int) -> Int { isEmpty ? place : matches[place] }

    /// The first match in view, so that the chosen one is in the middle where there are matches enough.
    func first(rows: Int, around chosen: Int, of count: Int) -> Int {
        min(max(chosen - rows / 2, 0), max(count - rows, 0))
    }

    /// Reads what the list is about to show: the matches around the chosen one.
    mutating func prepare(_ items: any ItemList, around chosen: Int, reach: Int) {
        let count = count(of: items.count)
        var new: [Int: Entry] = [:]
        for place in min(max(chosen - reach, 0), count)..<min(chosen + reach, count) {
            let index = index(at: place)
            new[index] = entries[index] ?? Self.entry(items[index])
        }
        entries = new
    }

    func entry(at place: Int, of items: any ItemList) -> Entry {
        entries[index(at: place)] ?? Self.entry(items[index(at: place)])
    }

    private static func entry(_ item: Item) -> Entry {
        let name = item.creator?.name ?? item.folder ?? ""
        let folder = item.creator?.name == nil ? [] : [item.folder].compactMap(\.self)
        let topics = item.tags.prefix(maxTopics).map { "#\(CleanText.line($0, limit: 40))" }
        return Entry(
            id: item.id, title: GlyphLine(CleanText.line(title(of: item), limit: 300)),
            name: GlyphLine(CleanText.line(name, limit: 120)),
            others: (folder.map { CleanText.line($0, limit: 120) } + topics).map { GlyphLine($0) },
            duration: item.duration.flatMap { $0 > .zero ? $0 : nil })
    }

    /// Why an entry was found, beyond its title: whether its name has a word that the title lacks, and what has the
    /// words that both lack.
    func reason(for entry: Entry) -> (isName: Bool, others: [GlyphLine]) {
        let title = Self.folded(entry.title)
        let lacking = words.filter { !Self.find($0, in: title) }
        guard !lacking.isEmpty else { return (false, []) }
        let name = Self.folded(entry.name)
        let rest = lacking.filter { !Self.find($0, in: name) }
        let others = entry.others.filter { other in
            let text = Self.folded(other)
            return rest.contains { Self.find($0, in: text) }
        }
        return (rest.count < lacking.count, others)
    }

    private static func folded(_ line: GlyphLine) -> [UInt8] {
        var text: [UInt8] = []
        LetterFold.append(line.text, limit: 300, to: &text)
        return text
    }

    /// The glyphs of a line that are looked for, in order.
    func matched(in line: GlyphLine) -> [Range<Int>] {
        guard !isEmpty else { return [] }
        var (bytes, owners): ([UInt8], [Int]) = ([], [])
        for (place, glyph) in line.glyphs.enumerated() {
            LetterFold.append(GlyphTable.text(of: glyph), limit: 8, to: &bytes)
            owners += repeatElement(place, count: bytes.count - owners.count)
        }
        var isMatch = [Bool](repeating: false, count: line.count)
        for word in words where word.count <= bytes.count {
            for start in 0...(bytes.count - word.count) where bytes[start...].starts(with: word) {
                for owner in owners[start..<(start + word.count)] { isMatch[owner] = true }
            }
        }
        return isMatch.indices.split { !isMatch[$0] }.map { $0.startIndex..<$0.endIndex }
    }

    func title(of count: Int) -> String {
        if words.isEmpty { return count == 1 ? "1 clip" : "\(count) clips" }
        return isDone(count) ? "\(matches.count) of \(count)" : "\(matches.count) found so far"
    }
}
