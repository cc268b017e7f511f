import Model

/// The fields of an item in a manifest or beside a clip, by their names. Pure.
enum ItemField: String, CaseIterable {
    case id, url, thumbnail, blurhash, title, description, duration, published, creator, tags, sound, trust, stats, link
    case own, sensitive, warning, subtitles, chapters, headers
    case chaptersURL = "chapters_url"
    case commentsURL = "comments_url"

    /// Other names, which people and programs write for the same.
    var aliases: [String] {
        switch self {
        case .thumbnail: ["poster", "image", "cover", "thumb"]
        case .title: ["name"]
        case .description: ["caption", "text", "summary"]
        case .duration: ["length"]
        case .published: ["date", "published_at", "created_at"]
        case .creator: ["author", "uploader", "channel"]
        case .tags: ["topics", "hashtags", "keywords"]
        case .link: ["webpage_url", "page"]
        case .subtitles: ["captions"]
        default: []
        }
    }

    static let allNames = allCases.flatMap { [$0.rawValue] + $0.aliases }
    private static let known = Set(allNames)

    /// The keys of an object that are no field's, in order.
    static func unknown(in value: JSON) -> [String] {
        guard case .object(let fields) = value else { return [] }
        return fields.keys.filter { !known.contains($0) }.sorted()
    }
}

extension JSON {
    /// A field under its own name, else under another one.
    subscript(field: ItemField) -> JSON? {
        self[field.rawValue] ?? field.aliases.lazy.compactMap { self[$0] }.first
    }
}
