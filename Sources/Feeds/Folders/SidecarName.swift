import Model

/// How the name of a file that describes a clip derives from the clip's. Extensions are case-sensitive.
package enum SidecarName: UInt8, CaseIterable, Sendable {
    /// `clip.mp4.json`: an item of a manifest.
    case full
    /// `clip.json`: the same.
    case stem
    /// `clip.info.json`, which yt-dlp writes.
    case info
    /// `clip.jpg`: the clip's picture.
    case jpg
    case jpeg, png, webp

    private static let (json, infoEnding) = (Array(".json".utf8), Array(".info.json".utf8))
    private static let pictures = [SidecarName.jpg, .jpeg, .png, .webp]

    private var ending: [UInt8] {
        switch self {
        case .full, .stem: Self.json
        case .info: Self.infoEnding
        case .jpg, .jpeg, .png, .webp: Array(".\(self)".utf8)
        }
    }

    /// The format to read it as; nil for an image.
    package var kind: Sidecar.Kind? {
        switch self {
        case .full, .stem: .item
        case .info: .info
        case .jpg, .jpeg, .png, .webp: nil
        }
    }

    /// The path of the file that belongs to a clip.
    package func path(of clip: some BidirectionalCollection<UInt8>) -> [UInt8] {
        self == .full ? Array(clip) + ending : Self.stem(of: clip) + ending
    }

    /// A clip's path without its extension, which every clip has.
    static func stem(of clip: some BidirectionalCollection<UInt8>) -> [UInt8] {
        Array(clip.dropLast(clip.reversed().prefix { $0 != UInt8(ascii: ".") }.count + 1))
    }

    /// The kinds that a file may be by its name, each with the length of the clip's part.
    static func readings(of name: UnsafeBufferPointer<UInt8>) -> [(name: SidecarName, base: Int)] {
        func base(_ ending: [UInt8]) -> Int? {
            name.count > ending.count && name.suffix(ending.count).elementsEqual(ending)
                ? name.count - ending.count : nil
        }
        if let whole = base(json) {
            let both: [(SidecarName, Int)] = [(.full, whole), (.stem, whole)]
            return base(Self.infoEnding).map { both + [(.info, $0)] } ?? both
        }
        return pictures.compactMap { picture in base(picture.ending).map { (picture, $0) } }
    }
}

/// Which describing files lie beside a clip. A value.
package struct SidecarSet: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ name: SidecarName) { rawValue = 1 << name.rawValue }

    func has(_ name: SidecarName) -> Bool { contains(SidecarSet(name)) }

    /// Those to be read, what counts more after what counts less: flick's own words go over those of yt-dlp, and the
    /// fuller name goes before the shorter.
    package var texts: [SidecarName] {
        let own: SidecarName? = has(.full) ? .full : has(.stem) ? .stem : nil
        return (has(.info) ? [.info] : []) + (own.map { [$0] } ?? [])
    }

    /// The same without pictures.
    var withoutPictures: SidecarSet {
        SidecarName.allCases.filter { $0.kind == nil }.reduce(self) { $0.subtracting(.init($1)) }
    }

    var picture: SidecarName? { SidecarName.allCases.first { $0.kind == nil && has($0) } }
}

/// The files of one folder that describe clips, by the part of the name that they share with the clip.
struct SidecarFiles {
    private var found: [UInt64: SidecarSet] = [:]

    /// The suffixes of subtitles, by the clip's name without its extension.
    private var captions: [UInt64: [String]] = [:]

    var isEmpty: Bool { found.isEmpty && captions.isEmpty }

    mutating func add(_ name: UnsafeBufferPointer<UInt8>) {
        for (reading, base) in SidecarName.readings(of: name) {
            found[ItemID.number(ofBytes: name[..<base]), default: []].insert(SidecarSet(reading))
        }
        for (suffix, base) in CaptionSidecar.readings(of: name) {
            captions[ItemID.number(ofBytes: name[..<base]), default: []].append(suffix)
        }
    }

    /// The suffixes of the subtitles beside the clip of this name.
    func captions(beside clip: some BidirectionalCollection<UInt8>) -> [String] {
        captions.isEmpty ? [] : captions[ItemID.number(ofBytes: SidecarName.stem(of: clip))] ?? []
    }

    /// The sidecars of the clip of this name in the same folder.
    func beside(_ clip: some BidirectionalCollection<UInt8>) -> SidecarSet {
        let full = found[ItemID.number(ofBytes: clip)] ?? []
        let stem = found[ItemID.number(ofBytes: SidecarName.stem(of: clip))] ?? []
        return stem.subtracting(SidecarSet(.full)).union(full.intersection(SidecarSet(.full)))
    }
}
