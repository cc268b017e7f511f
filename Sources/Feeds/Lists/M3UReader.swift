import Model

/// Reads lists of clips and channels in M3U, as files, Winamp and IPTV have them, with or without `#EXTM3U`. An entry
/// at a time is in memory.
///
/// There is no specification. `#EXTINF`, `#PLAYLIST` and `#EXTGRP` are read as
/// Kodi's IPTV client and VLC do, and `M3UHeaders` knows what names headers. Other
/// lines with `#` say nothing. An entry that is a playlist is one clip: HLS.
enum M3UReader {
    /// Passes each entry to `add`, with the list's properties read so far, until `add` returns false. Blocks.
    ///
    /// - Parameter url: the absolute URL of the list, which entries are relative to. `URLAccessPolicy` is not applied.
    static func read(_ stream: ByteStream, at url: String, add: (ListEntry, ListFacts) -> Bool) -> ListFacts {
        let words = ListWords(stream)
        var (lines, entries) = (LineReader(stream), M3UEntries(at: url, words))
        while let line = lines.next() {
            switch line {
            case .tooLong: if !add(.failure(.tooLongLine), entries.facts) { return entries.facts }
            case .bytes(let bytes):
                let line = LineText.trimmed(bytes)
                guard let first = line.first else { continue }
                if first == UInt8(ascii: "#") {
                    entries.note(line)
                } else if !add(entries.entry(line), entries.facts) {
                    return entries.facts
                }
            }
        }
        return entries.facts
    }
}

/// Makes items of addresses and of what the lines before them say.
private struct M3UEntries {
    private let addresses: ListAddress
    private let words: ListWords
    private(set) var facts = ListFacts()
    private var info: ExtInf?
    private var headers = M3UHeaders()
    /// `#EXTGRP` applies until the next one, and until a channel has its own group.
    private var group: [String] = []

    init(at url: String, _ words: ListWords) { (addresses, self.words) = (ListAddress(base: url), words) }

    mutating func note(_ line: ArraySlice<UInt8>) {
        guard let colon = line.prefix(12).firstIndex(of: UInt8(ascii: ":")) else { return }
        let value = line[(colon + 1)...]
        switch String(decoding: line[..<colon], as: UTF8.self).uppercased() {
        case "#EXTINF":
            // The one before had no address.
            if info != nil { headers = M3UHeaders() }
            let info = ExtInf(value)
            headers.note(info)
            if info.attribute("group-title") != nil { group = [] }
            self.info = info
        case "#EXTGRP": group = groups(value)
        case "#PLAYLIST": facts.title = facts.title ?? text(value, limit: ItemLimit.title)
        case "#EXTVLCOPT": headers.noteOption(value)
        case "#KODIPROP": headers.noteProperty(value)
        case "#EXTHTTP": headers.noteObject(value)
        default: break
        }
    }

    /// The entry of an address. What was said of it is forgotten.
    mutating func entry(_ line: ArraySlice<UInt8>) -> ListEntry {
        let info = self.info.take()
        var headers = self.headers
        self.headers = M3UHeaders()
        let address = headers.noteAddress(line)
        do throws(ItemError) {
            guard !headers.needsLicence else {
                throw ItemError(why: "protected (DRM)")
            }
            var item = try item(address, info)
            let (fields, warnings) = headers.fields()
            item.headers = fields
            return .success((item, warnings))
        } catch {
            return .failure(error)
        }
    }

    private func item(_ address: ArraySlice<UInt8>, _ info: ExtInf?) throws(ItemError) -> Item {
        let url = try addresses.url(of: address)
        let title = text(info?.name, limit: ItemLimit.title)
        let groups = info?.attribute("group-title").map { self.groups($0) } ?? []
        return Item(
            id: ItemID.hash(of: url), url: url, thumbnail: thumbnail(info),
            title: title ?? text(info?.attribute("tvg-name"), limit: ItemLimit.title) ?? ClipTitle.of(url),
            duration: info?.duration.map { .milliseconds(Int(($0 * 1_000).rounded())) },
            tags: groups.isEmpty ? group : groups)
    }

    private func thumbnail(_ info: ExtInf?) -> String? {
        guard let logo = info?.attribute("tvg-logo") ?? info?.attribute("logo") else { return nil }
        let trimmed = LineText.trimmed(logo)
        guard !trimmed.isEmpty else { return nil }
        do throws(ItemError) {
            let url = try addresses.url(of: trimmed)
            return MediaChoice.isReachable(url) ? url : nil
        } catch {
            // A channel without its picture is a channel.
            return nil
        }
    }

    private func text(_ bytes: ArraySlice<UInt8>?, limit: Int) -> String? {
        bytes.flatMap { words.text(LineText.trimmed($0)).cut(to: limit) }
    }

    /// "News;World" has two.
    private func groups(_ bytes: ArraySlice<UInt8>) -> [String] {
        var groups: [String] = []
        for part in bytes.split(separator: UInt8(ascii: ";"), maxSplits: ItemLimit.list) {
            guard groups.count < ItemLimit.list, let name = text(part, limit: ItemLimit.word),
                !groups.contains(name)
            else { continue }
            groups.append(name)
        }
        return groups
    }
}
