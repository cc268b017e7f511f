import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes items as bytes for `ItemSpool`: all fields in order, a missing one as zero, lengths and counts as LEB128.
/// Only the process that wrote the bytes reads them, so the format needs no version.
enum ItemCode {
    static func append(_ item: Item, to bytes: inout [UInt8]) {
        var writer = Writer(bytes: bytes)
        bytes = []  // Makes the writer the only owner, so that the array grows in place.
        writer.put(item.id)
        writer.put(item.url)
        writer.put(item.thumbnail)
        writer.put(item.blurHash)
        writer.put(item.title)
        writer.put(item.text)
        writer.put(item.duration?.milliseconds)
        writer.put(item.published?.timeIntervalSince1970)
        writer.put(item.creator.map { [$0.id, $0.name, $0.avatar, $0.url] })
        writer.put(item.tags)
        writer.put(item.sound.map { [$0.title, $0.artist] })
        writer.put(item.trust?.score)
        if let trust = item.trust {
            writer.put(trust.label)
            writer.put(trust.reasons)
        }
        writer.put(item.stats == nil ? nil : 1)
        if let stats = item.stats {
            for count in [stats.likes, stats.dislikes, stats.comments, stats.saves, stats.shares] { writer.put(count) }
        }
        writer.put(item.link)
        writer.put(item.own ? 1 : nil)
        writer.put(item.headers.flatMap { [$0.key, $0.value] })
        writer.put(item.resolver?.rawValue)
        writer.put(item.isSensitive ? 1 : nil)
        writer.put(item.warning)
        writer.put(item.captions.count)
        for link in item.captions {
            writer.put(link.url)
            writer.put(link.language)
            writer.put(link.title)
        }
        writer.put(item.chapters.count)
        for chapter in item.chapters {
            writer.put(chapter.start.milliseconds)
            writer.put(chapter.title)
        }
        writer.put(item.chaptersURL)
        writer.put(item.commentsURL)
        bytes = writer.bytes
    }

    /// Decodes all items; nil for bytes that `append` did not write.
    static func items(_ bytes: [UInt8]) -> [Item]? {
        var reader = Reader(bytes: bytes)
        var items: [Item] = []
        while !reader.isAtEnd {
            guard let item = item(&reader) else { return nil }
            items.append(item)
        }
        return items
    }

    private static func item(_ reader: inout Reader) -> Item? {
        var item = Item(id: reader.text() ?? "", url: reader.text() ?? "")
        item.thumbnail = reader.text()
        item.blurHash = reader.text()
        item.title = reader.text()
        item.text = reader.text()
        item.duration = reader.number().flatMap { abs($0) < 1e15 ? .milliseconds(Int64($0.rounded())) : nil }
        item.published = reader.number().map { Date(timeIntervalSince1970: $0) }
        if let creator = reader.fields(4) {
            item.creator = .init(id: creator[0], name: creator[1], avatar: creator[2], url: creator[3])
        }
        item.tags = reader.texts()
        if let sound = reader.fields(2) { item.sound = .init(title: sound[0], artist: sound[1]) }
        if let score = reader.count() {
            item.trust = .init(score: score, label: reader.text(), reasons: reader.texts())
        }
        if reader.count() != nil {
            item.stats = .init(
                likes: reader.count(), dislikes: reader.count(), comments: reader.count(), saves: reader.count(),
                shares: reader.count())
        }
        item.link = reader.text()
        item.own = reader.count() != nil
        let headers = reader.texts()
        for index in stride(from: 0, to: headers.count - 1, by: 2) { item.headers[headers[index]] = headers[index + 1] }
        item.resolver = reader.text().flatMap(Resolver.init)
        item.isSensitive = reader.count() != nil
        item.warning = reader.text()
        for _ in 0..<min(reader.count() ?? 0, CaptionLink.limit) where !reader.isBroken {
            item.captions.append(
                CaptionLink(url: reader.text() ?? "", language: reader.text(), title: reader.text()))
        }
        for _ in 0..<min(reader.count() ?? 0, Chapter.limit) where !reader.isBroken {
            item.chapters.append(
                Chapter(
                    start: .milliseconds(Int64((reader.number() ?? 0).rounded())), title: reader.text() ?? ""))
        }
        item.chaptersURL = reader.text()
        item.commentsURL = reader.text()
        return reader.isBroken ? nil : item
    }
}

private struct Writer {
    var bytes: [UInt8]

    private mutating func leb(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The length plus one, then the bytes.
    mutating func put(_ text: String?) {
        guard let text else { return leb(0) }
        leb(UInt64(text.utf8.count) + 1)
        bytes.append(contentsOf: text.utf8)
    }

    /// The count plus one; it is never negative.
    mutating func put(_ count: Int?) { leb(count.map { UInt64(max($0, 0)) + 1 } ?? 0) }

    mutating func put(_ number: Double?) {
        guard let number else { return leb(0) }
        leb(1)
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ texts: [String]) {
        put(texts.count)
        for text in texts { put(text) }
    }

    mutating func put(_ fields: [String?]?) {
        put(fields == nil ? nil : 1)
        for field in fields ?? [] { put(field) }
    }
}

/// Reads what `Writer` wrote. After anything else it is broken and returns nil.
private struct Reader {
    let bytes: [UInt8]
    private var index = 0
    private(set) var isBroken = false

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    private mutating func leb() -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while index < bytes.count, shift < 64 {
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        isBroken = true
        return 0
    }

    private mutating func read(_ count: UInt64) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.count - index) else {
            isBroken = true
            return []
        }
        defer { index += Int(count) }
        return bytes[index..<index + Int(count)]
    }

    mutating func text() -> String? {
        let length = leb()
        return length == 0 ? nil : String(decoding: read(length - 1), as: UTF8.self)
    }

    mutating func count() -> Int? {
        let number = leb()
        return number == 0 ? nil : Int(clamping: number - 1)
    }

    mutating func number() -> Double? {
        guard leb() == 1 else { return nil }
        let bits = read(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return isBroken ? nil : Double(bitPattern: bits)
    }

    mutating func texts() -> [String] {
        let count = count() ?? 0
        var texts: [String] = []
        while texts.count < count, !isBroken { texts.append(text() ?? "") }
        return texts
    }

    mutating func fields(_ count: Int) -> [String?]? {
        guard self.count() != nil else { return nil }
        return (0..<count).map { _ in text() }
    }
}
