import Model

/// The one rule for titles of clips and feeds without a title: what a person
/// would read in the name of the file or address. Pure.
///
/// The extension is dropped. `_` and spaces separate words; in a name without them dots do, and in a name
/// without dots hyphens. Separators within numbers stay, so that dates and versions remain readable. Camera
/// names become a date and a time (`VID_20240501_213456`: 2024-05-01 21:34:56) if they are a valid one; other
/// names keep their words. Letters never change. The result is still untrusted text.
public enum ClipTitle {
    /// The title of the resource at an absolute URL. Names without meaning
    /// (`master.m3u8`) are replaced by the folder's, then by the host's.
    public static func of(_ url: String) -> String { Place(url).title }

    /// The name of the feed of a single clip: the host, or the folder of a file; nil if it has neither.
    static func ofFeed(clip url: String) -> String? {
        let place = Place(url)
        return place.host ?? place.folder
    }

    /// The name of a manifest without a title: the host, or the file's name.
    static func ofFeed(manifest url: String) -> String {
        let place = Place(url)
        return place.host ?? (place.own == 2 ? place.names[place.names.count - 2] : place.title)
    }

    /// The folder that a clip is in, by its path in a feed's folder, as it is
    /// called; nil if it lies in the feed's folder itself.
    static func folder(ofPath relative: some Collection<UInt8>) -> String? {
        Place(names: Place.split(relative), host: nil).folder
    }

    /// The title of a path of a file.
    package static func of(path: [UInt8]) -> String { Place(names: Place.split(path), host: nil).title }

    /// Where a clip is: the names of its path, and its host.
    private struct Place {
        var names: [String]
        var host: String?
        /// How many names from the end are the clip's own: a folder of segments is one clip.
        let own: Int

        init(names: [String], host: String?) {
            self.names = names
            self.host = host
            let isVague = names.last.map(ClipTitle.saysNothing) ?? false
            own = isVague && names.count > 1 ? 2 : 1
        }

        init(_ url: String) {
            if let path = FileURL.path(of: url) {
                self.init(names: Self.split(path), host: nil)
            } else {
                let parts = URLParts(url)
                let names = (parts?.path ?? "").split(separator: "/").suffix(3)
                self.init(
                    names: names.map { ClipTitle.text(FileURL.percentDecoded(String($0))) },
                    host: (parts?.authority).map(Self.host))
            }
        }

        /// The last names of a path: what is above them is in no title.
        static func split(_ path: some Collection<UInt8>) -> [String] {
            path.split(separator: UInt8(ascii: "/")).suffix(3).map { ClipTitle.text($0) }
        }

        /// Without user, port and "www.".
        private static func host(_ authority: String) -> String {
            let host = authority.split(separator: "@").last ?? ""
            let port = host.lastIndex(of: ":").flatMap { host[$0...].contains("]") ? nil : $0 }
            let bare = host[..<(port ?? host.endIndex)]
            return String(bare.hasPrefix("www.") ? bare.dropFirst(4) : bare)
        }

        var title: String {
            if own == 2 { return ClipTitle.words(of: names[names.count - 2]) }
            guard let name = names.last, host == nil || !ClipTitle.saysNothing(name) else { return host ?? "" }
            return ClipTitle.words(of: ClipTitle.stem(of: name))
        }

        var folder: String? { names.dropLast(own).last }
    }

    // MARK: Names

    /// More than any line shows, and little enough for whatever is in it.
    private static let limit = 300

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        // Bytes that are not UTF-8 become U+FFFD.
        String(decoding: bytes.prefix(4 * limit), as: UTF8.self)
    }

    /// Without the extension, if it is one of clips or lists: "Vol.2" has none.
    static func stem(of name: String) -> String {
        guard let ending = ClipName.ending(of: Array(name.utf8)), isKnown(ending) else { return name }
        return String(name.unicodeScalars.dropLast(ending.unicodeScalars.count + 1))
    }

    private static func isKnown(_ ending: String) -> Bool { ClipName.isClip(ending: ending) || ending == "json" }

    /// Names that a program gave to a playlist or manifest, not a person to a clip.
    private static let vague: Set = ["master", "index", "playlist", "manifest", "main", "prog_index", "stream", "feed"]

    private static func saysNothing(_ name: String) -> Bool {
        guard let ending = ClipName.ending(of: Array(name.utf8)), ["m3u8", "mpd", "json"].contains(ending) else {
            return false
        }
        return vague.contains(stem(of: name).lowercased())
    }

    // MARK: Words

    private static func words(of stem: String) -> String {
        let scalars = withoutCode(Array(stem.unicodeScalars.prefix(limit)))
        var words = split(scalars)
        date(&words)
        let title = words.joined(separator: " ")
        return title.isEmpty ? String(String.UnicodeScalarView(scalars)) : title
    }

    /// Without the code in brackets that programs for downloading write last: "Tram 28 [dQw4w9WgXcQ]".
    private static func withoutCode(_ name: [Unicode.Scalar]) -> [Unicode.Scalar] {
        guard name.count > 13, name.last == "]", name[name.count - 13] == "[" else { return name }
        let code = name[(name.count - 12)..<(name.count - 1)]
        let isCode = code.allSatisfy { isLetter($0) && $0.isASCII || isDigit($0) || $0 == "_" || $0 == "-" }
        // A word has letters only, and no capital after a small letter.
        let isWord =
            code.allSatisfy(isLetter)
            && !zip(code, code.dropFirst()).contains { $0.properties.isLowercase && $1.properties.isUppercase }
        return isCode && !isWord ? Array(name.dropLast(13)) : name
    }

    private static func split(_ name: [Unicode.Scalar]) -> [String] {
        let separators: [[Unicode.Scalar]] = [["_", " "], ["."], ["-"]]
        let chosen = separators.first { separators in name.contains { separators.contains($0) } } ?? []
        var words: [String.UnicodeScalarView] = [.init()]
        for (place, scalar) in name.enumerated() {
            let isInNumber =
                isNumber(words[words.count - 1]) && place + 1 < name.count && isDigit(name[place + 1])
            if chosen.contains(scalar), scalar == "_" || scalar == " " || !isInNumber {
                words.append(.init())
            } else {
                words[words.count - 1].append(scalar)
            }
        }
        // A mark between two words stays: "Lisbon - the harbour".
        let isMark: (String) -> Bool = { $0.allSatisfy { "-._".contains($0) } }
        let texts = words.map { String($0) }.filter { !$0.isEmpty }
        return Array(texts.drop(while: isMark).reversed().drop(while: isMark).reversed())
    }

    /// The beginning of a date or version: digits, with dots and hyphens among them, perhaps after a "v".
    private static func isNumber(_ word: String.UnicodeScalarView) -> Bool {
        let digits = word.first == "v" || word.first == "V" ? word.dropFirst() : word[...]
        guard let first = digits.first, let last = digits.last, isDigit(first), isDigit(last) else { return false }
        return digits.allSatisfy { isDigit($0) || $0 == "." || $0 == "-" }
    }

    /// Marks of cameras and telephones, which say nothing beside a date.
    private static let cameras: Set = ["IMG", "VID", "PXL", "MVIMG", "PANO", "DSC", "MOV", "TRIM"]

    /// Makes a date of eight digits, and a time of the six after it.
    private static func date(_ words: inout [String]) {
        guard let place = words.firstIndex(where: { day($0) != nil || stamp($0) != nil }) else { return }
        if let (date, rest) = stamp(words[place]) {
            words.replaceSubrange(place...place, with: [date] + (rest.isEmpty ? [] : [rest]))
        } else if let date = day(words[place]) {
            words[place] = date
        }
        if place + 1 < words.count, let time = time(words[place + 1]) { words[place + 1] = time }
        if place == 1, cameras.contains(words[0].uppercased()) { words.removeFirst() }
    }

    /// "20240501" → "2024-05-01", if it is a day from 1970 to 2099.
    private static func day(_ word: some StringProtocol) -> String? {
        guard word.utf8.count == 8, let number = number(word) else { return nil }
        let (year, month, day) = (number / 10_000, number / 100 % 100, number % 100)
        guard (1970...2099).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        return "\(year)-\(two(month))-\(two(day))"
    }

    /// A day and what follows a hyphen or T: "20240501-213456".
    private static func stamp(_ word: String) -> (date: String, rest: String)? {
        guard word.utf8.count > 9, let date = day(word.prefix(8)) else { return nil }
        let mark = word.dropFirst(8).first
        guard mark == "-" || mark == "T" else { return nil }
        return (date, String(word.dropFirst(9)))
    }

    /// "213456", or with thousandths "213456789" → "21:34:56".
    private static func time(_ word: String) -> String? {
        guard [6, 9].contains(word.utf8.count), number(word) != nil, let number = number(word.prefix(6)) else {
            return nil
        }
        let (hour, minute, second) = (number / 10_000, number / 100 % 100, number % 100)
        guard hour < 24, minute < 60, second < 60 else { return nil }
        return "\(two(hour)):\(two(minute)):\(two(second))"
    }

    private static func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// A number of ASCII digits alone.
    private static func number(_ word: some StringProtocol) -> Int? {
        word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(word) : nil
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }
}
