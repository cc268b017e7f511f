import Model
import Platform

/// A file of subtitles beside a clip: `clip.vtt`, `clip.srt`, or one with a
/// language, `clip.en.vtt`, `clip.pt-BR.srt`. A value.
package struct CaptionSidecar: Sendable, Equatable {
    /// The name after the part it shares with the clip: ".en.vtt", ".vtt". ASCII.
    package let suffix: String

    /// "en" in ".en.vtt"; nil if the name has no language.
    package var language: String? {
        let language = Self.language(suffix)
        return language.isEmpty ? nil : language
    }

    /// The path of the file that belongs to a clip.
    package func path(of clip: some BidirectionalCollection<UInt8>) -> [UInt8] {
        SidecarName.stem(of: clip) + Array(suffix.utf8)
    }

    /// The name of subtitles after the part it shares with the clip: with the language, if that is a tag that is read
    /// back.
    package static func suffix(language: String?, isWebVTT: Bool) -> String {
        let ending = isWebVTT ? ".vtt" : ".srt"
        guard let language, isTag(language.utf8), language.utf8.count + ending.utf8.count < longestSuffix else {
            return ending
        }
        return ".\(language)\(ending)"
    }

    private static let endings = [Array(".vtt".utf8), Array(".srt".utf8)]
    /// The most bytes of what follows the clip's part of a name.
    private static let longestSuffix = 20

    /// Splits a file's name into a clip's part and a suffix, for each clip that it may belong to:
    /// `.en.vtt` and `.vtt`, with the length of the clip's part.
    static func readings(of name: UnsafeBufferPointer<UInt8>) -> [(suffix: String, base: Int)] {
        guard let ending = endings.first(where: { name.count > $0.count && name.suffix($0.count).elementsEqual($0) })
        else { return [] }
        let whole = name.count - ending.count
        var found = [whole]
        if let dot = name[..<whole].lastIndex(of: UInt8(ascii: ".")), dot > 0,
            isTag(name[(dot + 1)..<whole])
        {
            found.append(dot)
        }
        return found.compactMap { base in
            name.count - base <= longestSuffix ? (String(decoding: name[base...], as: UTF8.self), base) : nil
        }
    }

    /// "en", "pt-BR", "zh_Hans": letters first, two or three of them.
    private static func isTag(_ text: some Collection<UInt8>) -> Bool {
        let isLetter = { (byte: UInt8) in (0x61...0x7A).contains(byte | 0x20) }
        let code = text.prefix(while: isLetter)
        return (2...3).contains(code.count)
            && text.dropFirst(code.count).allSatisfy {
                isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            } && (text.count == code.count || text.dropFirst(code.count).first.map { !isLetter($0) } ?? true)
    }

    /// The suffixes of the subtitles beside a clip that was named on its own: lists its folder. Blocks on the disk.
    ///
    /// - Parameter clip: its absolute path.
    static func found(beside clip: [UInt8]) -> [String] {
        let stem = SidecarName.stem(of: clip)
        guard let slash = stem.lastIndex(of: UInt8(ascii: "/")),
            let folder = Array(stem[...slash]).withCString({ opendir($0) })
        else { return [] }
        defer { closedir(folder) }
        var found: [String] = []
        while let entry = readdir(folder) {
            name(of: entry) { name in
                guard name.starts(with: stem[(slash + 1)...]) else { return }
                let own = readings(of: name).first { $0.base == stem.count - slash - 1 }
                if let own { found.append(own.suffix) }
            }
        }
        return found
    }

    /// The subtitles to use of all that lie beside a clip: one for each language, with
    /// WebVTT before SubRip. Those without a language come first.
    static func chosen(from suffixes: [String]) -> [CaptionSidecar] {
        var languages = Set<String>()
        return suffixes.sorted { (language($0), $1) < (language($1), $0) }.prefix(CaptionLink.limit)
            .filter { languages.insert(language($0).lowercased()).inserted }.map { CaptionSidecar(suffix: $0) }
    }

    /// The links to such files of a clip here.
    static func links(_ suffixes: [String], beside clip: [UInt8]) -> [CaptionLink] {
        chosen(from: suffixes).map {
            CaptionLink(url: FileURL.url(path: $0.path(of: clip)), language: $0.language)
        }
    }

    private static func language(_ suffix: String) -> String { String(suffix.dropFirst().dropLast(4)) }
}
