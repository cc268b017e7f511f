import Model

/// Reads lists of clips in PLS: `[playlist]`, then `FileN=`, `TitleN=` and `LengthN=` in any order.
enum PLSReader {
    /// The most bytes of the entries of a list. They are in memory together, as their lines may come in any order.
    private static let sizeLimit = 16 << 20

    /// One entry. Its parts may come in any order.
    private struct Part {
        var file: [UInt8]?
        var title: String?
        var duration: Duration?
    }

    /// Gives each entry to `add` by its number, until that returns false. Blocks.
    ///
    /// - Parameter url: the absolute URL of the list, which entries are relative to. `URLAccessPolicy` is not asked.
    static func read(_ stream: ByteStream, at url: String, add: (ListEntry) -> Bool) -> ListFacts {
        let words = ListWords(stream)
        var lines = LineReader(stream)
        var parts: [Int: Part] = [:]
        var size = 0
        while let line = lines.next() {
            guard case .bytes(let bytes) = line else {
                guard add(.failure(.tooLongLine)) else { return ListFacts() }
                continue
            }
            guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")), let (name, number) = key(bytes[..<equals])
            else {
                continue
            }
            let value = LineText.trimmed(bytes[(equals + 1)...])
            size += value.count + MemoryLayout<Part>.size
            if size > sizeLimit {
                guard add(.failure(.init(why: "the list is larger than \(sizeLimit >> 20) MB"))) else {
                    return ListFacts()
                }
                break
            }
            set(name, value, words, of: &parts[number, default: Part()])
        }
        let addresses = ListAddress(base: url)
        for (_, part) in parts.sorted(by: { $0.key < $1.key }) {
            guard let file = part.file else { continue }
            guard add(entry(part, file, addresses)) else { break }
        }
        return ListFacts()
    }

    /// "File12" → "file", 12. nil for anything else.
    private static func key(_ bytes: ArraySlice<UInt8>) -> (name: String, number: Int)? {
        let key = LineText.trimmed(bytes)
        guard key.count <= 24 else { return nil }
        let digits = key.reversed().prefix { (0x30...0x39).contains($0) }.count
        let name = String(decoding: key.dropLast(digits), as: UTF8.self).lowercased()
        guard ["file", "title", "length"].contains(name),
            let number = Int(String(decoding: key.suffix(digits), as: UTF8.self))
        else { return nil }
        return (name, number)
    }

    private static func set(_ name: String, _ value: ArraySlice<UInt8>, _ words: ListWords, of part: inout Part) {
        switch name {
        // One byte more than an address may have, so that it is refused.
        case "file": part.file = Array(value.prefix(ItemLimit.url + 1))
        case "title": part.title = words.text(value).cut(to: ItemLimit.title)
        default:
            guard let seconds = Double(LineText.of(value)), seconds > 0, seconds < 1e9 else { return }
            part.duration = .milliseconds(Int((seconds * 1_000).rounded()))
        }
    }

    private static func entry(_ part: Part, _ file: [UInt8], _ addresses: ListAddress) -> ListEntry {
        do throws(ItemError) {
            guard !file.isEmpty else { throw ItemError(why: "its URL is empty") }
            let url = try addresses.url(of: file[...])
            return .success(
                (
                    Item(
                        id: ItemID.hash(of: url), url: url, title: part.title ?? ClipTitle.of(url),
                        duration: part.duration), []
                ))
        } catch {
            return .failure(error)
        }
    }
}
