import Model

/// The meaning of the elements of feeds and entries.
extension SyndicationHandler {
    /// Whether an element is a field, and not markup inside one.
    func isField(_ element: MarkupElement, _ name: String, _ vocabulary: Vocabulary) -> Bool {
        if case .core = vocabulary {
            return kind(element, name, vocabulary) != nil || name == "enclosure"
        }
        return vocabulary != .xhtml && vocabulary != .other
    }

    mutating func beginField(_ element: MarkupElement, _ name: String, _ vocabulary: Vocabulary) {
        switch vocabulary {
        case .core where beginCore(element, name): return
        case .media where beginMedia(element, name): return
        case .podcast: return beginPodcast(element, name)
        case .simpleChapters: return beginChapter(element, name)
        default: break
        }
        guard let kind = kind(element, name, vocabulary), let content = content(of: element, name, vocabulary, kind)
        else { return }
        var field = Field(kind, depth: depth, content: content)
        switch kind {
        case .tag: field.spare = element.attribute("label") ?? element.attribute("term") ?? element.attribute("text")
        case .image: field.spare = element.attribute("href") ?? element.attribute("url") ?? resource(element)
        default: break
        }
        self.field = field
    }

    /// Elements that say all in their attributes. Returns whether it was one.
    private mutating func beginCore(_ element: MarkupElement, _ name: String) -> Bool {
        switch name {
        case "enclosure":
            add(
                media(
                    element, address: element.attribute("url") ?? element.attribute("href") ?? element.attribute("uri"))
            )
            return true
        case "link":
            // The address of an RSS link is its text.
            guard let given = element.attribute("href") ?? element.attribute("url") ?? element.attribute("uri") else {
                return false
            }
            addLink(element, given)
            return true
        case "content":
            // Atom: the content is elsewhere.
            guard let source = element.attribute("src") ?? element.attribute("url") else { return false }
            let type = element.attribute("type")?.lowercased() ?? ""
            if ["video/", "audio/", "image/", "application/"].contains(where: type.hasPrefix) {
                add(media(element, address: source))
            } else if let url = address(source), type.isEmpty || type.hasPrefix("text/") {
                draft?.setSpareLink(url)
            }
            return true
        case "image":
            containers.image = depth
            return false
        case "author", "managingeditor":
            containers.author = depth
            return false
        default: return false
        }
    }

    private mutating func addLink(_ element: MarkupElement, _ given: String) {
        // "http://www.iana.org/assignments/relation/alternate"
        let relations = (element.attribute("rel") ?? "alternate").lowercased().split(separator: " ")
            .map { $0.split(separator: "/").last ?? $0 }
        let type = element.attribute("type")?.lowercased() ?? "text/html"
        if relations.contains("enclosure") {
            add(media(element, address: given))
        } else if draft == nil {
            guard let url = address(given) else { return }
            // If a feed has both relations, `next` wins.
            if relations.contains("next") {
                feed.next = url
            } else if relations.contains("prev-archive") {
                feed.next = feed.next ?? url
            }
        } else if relations.contains("alternate"), type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") {
            if let url = address(given) { draft?.setLink(url) }
        } else if relations.contains("alternate"), let url = address(given) {
            draft?.setSpareLink(url)
        }
    }

    /// Returns whether it was an element that says all in its attributes.
    private mutating func beginMedia(_ element: MarkupElement, _ name: String) -> Bool {
        switch name {
        case "content":
            if let place = add(media(element, address: element.attribute("url"))) { containers.media = (depth, place) }
        case "thumbnail":
            guard let given = element.attribute("url") ?? element.attribute("href") else { return false }
            if let url = address(given) { addPicture(url) }
        case "statistics":
            if let count = FeedNumber.count(element.attribute("favorites")) { draft?.setSaves(Int(count)) }
        case "starrating":
            if let count = FeedNumber.count(element.attribute("count")) { draft?.setLikes(Int(count)) }
        case "subtitle": addCaptions(element, address: element.attribute("href") ?? element.attribute("url"))
        case "player":
            if let url = address(element.attribute("url")) { draft?.setSpareLink(url) }
        default: return false
        }
        return true
    }

    /// `podcast:alternateEnclosure` with its sources.
    private mutating func beginPodcast(_ element: MarkupElement, _ name: String) {
        switch name {
        case "alternateenclosure":
            var media = media(element, url: "")
            media.bitrate = FeedNumber.positive(element.attribute("bitrate"))
            media.isDefault = element.attribute("default")?.lowercased() == "true"
            media.title = element.attribute("title")
            containers.alternate = (depth, media)
        case "source":
            guard var media = containers.alternate?.media, let url = address(element.attribute("uri")) else { return }
            media.url = url
            media.type = mediaType(element.attribute("contenttype")) ?? media.type
            add(media)
        case "transcript": addCaptions(element, address: element.attribute("url"))
        case "chapters": if let url = address(element.attribute("url")) { draft?.setChapters(url) }
        default: break
        }
    }

    /// `psc:chapter` (https://podlove.org/simple-chapters/).
    private mutating func beginChapter(_ element: MarkupElement, _ name: String) {
        guard name == "chapter", let start = FeedNumber.time(element.attribute("start")) else { return }
        draft?.addChapter(Chapter(start: start, title: CleanText.line(element.attribute("title") ?? "", limit: 200)))
    }

    /// `podcast:transcript` and `media:subTitle`, if their format has times: a web
    /// page or plain text could not be shown in sync.
    private mutating func addCaptions(_ element: MarkupElement, address given: String?) {
        let type = mediaType(element.attribute("type"))
        guard let url = address(given), let rank = Self.captionRank(type: type, url: url) else { return }
        let language = element.attribute("language") ?? element.attribute("lang")
        draft?.addCaptions(
            CaptionLink(url: url, language: language?.stripped.cut(to: ItemLimit.word)), rank: rank)
    }

    /// Which form of the same text is wanted: the lowest; nil for none.
    private static func captionRank(type: String?, url: String) -> Int? {
        switch type {
        case "text/vtt", "application/vtt": 0
        case "application/srt", "application/x-subrip", "text/srt": 1
        case "application/json": 2
        default:
            // Many servers call them `text/plain`.
            switch MediaKind.ending(ofURL: url) {
            case "vtt": 0
            case "srt": 1
            case "json" where type?.hasPrefix("text/") != true: 2
            default: nil
            }
        }
    }

    @discardableResult private mutating func add(_ media: FeedMedia?) -> Int? { media.flatMap { draft?.add($0) } }

    private func media(_ element: MarkupElement, address given: String?) -> FeedMedia? {
        address(given).map { media(element, url: $0) }
    }

    /// Of an element with the attributes of an enclosure, a link, or `media:content`.
    private func media(_ element: MarkupElement, url: String) -> FeedMedia {
        var media = FeedMedia(url: url)
        media.type = mediaType(element.attribute("type"))
        media.medium = element.attribute("medium").map { medium in
            switch medium.lowercased() {
            case "video": .video
            case "audio": .audio
            case "image": .image
            default: .other
            }
        }
        // Some write 0 or 1 for what they do not know, which is no length of a clip.
        media.length = FeedNumber.count(element.attribute("filesize") ?? element.attribute("length")).flatMap {
            $0 > 1 ? $0 : nil
        }
        media.width = FeedNumber.positive(element.attribute("width"))
        media.height = FeedNumber.positive(element.attribute("height"))
        // Media RSS counts in kilobits.
        media.bitrate = FeedNumber.positive(element.attribute("bitrate")).flatMap { $0 < 1 << 40 ? $0 * 1_000 : nil }
        media.duration = FeedNumber.duration(element.attribute("duration"))
        media.isDefault = element.attribute("isdefault")?.lowercased() == "true"
        media.isSample = element.attribute("expression")?.lowercased() == "sample"
        media.language = element.attribute("lang") ?? element.attribute("hreflang")
        return media
    }

    /// In small letters and without parameters.
    private func mediaType(_ text: String?) -> String? {
        guard let text, text.utf8.count <= ItemLimit.word else { return nil }
        let type = String(text.prefix { $0 != ";" }).stripped.lowercased()
        return type.isEmpty ? nil : type
    }

    private mutating func addPicture(_ url: String) {
        if draft != nil { draft?.addThumbnail(url) } else { feed.image = feed.image ?? url }
    }

    /// RDF: what an element without text leads to.
    private func resource(_ element: MarkupElement) -> String? {
        element.attributes.first { $0.name == "resource" }?.value
    }

    // MARK: Kinds

    private func kind(_ element: MarkupElement, _ name: String, _ vocabulary: Vocabulary) -> Field.Kind? {
        switch vocabulary {
        case .core: coreKind(element, name)
        case .media: mediaKind(name)
        case .itunes: itunesKind(name)
        case .dublinCore: dublinCoreKind(name)
        case .content: name == "encoded" ? .description : nil
        case .xhtml: name == "body" ? .description : nil
        case .discussion: name == "comments" || name == "total" ? .comments : nil
        case .podcast, .simpleChapters, .other: nil
        }
    }

    private func coreKind(_ element: MarkupElement, _ name: String) -> Field.Kind? {
        if containers.author != nil {
            switch name {
            case "name": return .authorName
            case "uri", "url", "homepage": return .authorURL
            case "email": return .authorMail
            default: break
            }
        }
        // An image element has its own title and link.
        if let image = containers.image, image < depth { return name == "url" ? .image : nil }
        switch name {
        case "title": return .title(rank: draft == nil || depth == entryDepth + 1 ? 3 : 1)
        case "description", "summary", "content", "fullitem", "body", "abstract", "tagline", "subtitle":
            return .description
        case "link": return element.attribute("href") == nil ? .link : nil
        case "guid":
            switch element.attribute("ispermalink")?.stripped.lowercased() {
            case "false": return .id(.name)
            case "true": return .id(.link)
            default: return .id(.perhapsLink)
            }
        case "id": return .id(.perhapsLink)
        case "pubdate", "published", "issued": return .published
        case "updated", "modified", "lastbuilddate": return .updated
        case "created": return .created
        case "author", "managingeditor": return .author(rank: 1)
        case "category": return .tag
        case "keywords", "tags": return .tags
        case "image", "logo", "icon": return .image
        case "language": return .language
        default: return nil
        }
    }

    private func mediaKind(_ name: String) -> Field.Kind? {
        switch name {
        case "title": containers.media == nil ? .title(rank: 1) : .mediaTitle
        case "description": containers.media == nil ? .description : .mediaDescription
        case "credit": .author(rank: 1)
        case "category": .tag
        case "keywords": .tags
        case "thumbnail": .image
        case "rating": .rating
        case "adult": .adult
        default: nil
        }
    }

    private func itunesKind(_ name: String) -> Field.Kind? {
        switch name {
        case "author": .author(rank: 2)
        case "title": .title(rank: 2)
        case "summary", "subtitle", "description": .description
        case "duration": .duration
        case "image": .image
        case "keywords": .tags
        case "category": .tag
        default: nil
        }
    }

    private func dublinCoreKind(_ name: String) -> Field.Kind? {
        switch name {
        case "creator", "author": .author(rank: 3)
        case "title": .title(rank: 2)
        case "description", "abstract": .description
        case "date", "modified": .updated
        case "issued": .published
        case "created": .created
        case "subject": .tag
        case "language": .language
        default: nil
        }
    }

    /// The format of a field's text; RSS does not declare it. nil if it is no text.
    private func content(
        of element: MarkupElement, _ name: String, _ vocabulary: Vocabulary, _ kind: Field.Kind
    ) -> Field.Content? {
        switch kind {
        case .title, .description, .mediaDescription: break
        default: return .plain
        }
        if vocabulary == .content { return .markup }
        if vocabulary == .xhtml || name == "body" { return .inline }
        // Atom 0.3.
        if element.attribute("mode")?.lowercased() == "base64" { return .base64 }
        let isEscaped = element.attribute("mode")?.lowercased() == "escaped"
        switch element.attribute("type")?.lowercased() {
        case nil:
            if isAtom(element) { return .plain }
            return vocabulary == .core && (name == "description" || name == "fullitem") ? .markup : .unknown
        case "html", "text/html": return element.attribute("mode")?.lowercased() == "xml" ? .inline : .markup
        case "xhtml", "application/xhtml+xml": return isEscaped ? .markup : .inline
        // RSS has feeds that say so of HTML.
        case "text", "plain", "text/plain": return isAtom(element) ? .plain : .unknown
        case let type?:
            if type.hasSuffix("xml") { return isEscaped ? .unknown : .inline }
            if !type.contains("/") || type.hasPrefix("text/") { return .unknown }
            // RFC 4287, 4.1.3.3, 6: other content is base64. Of a description it is a file.
            guard case .title = kind else { return nil }
            return .base64
        }
    }

    private func isAtom(_ element: MarkupElement) -> Bool {
        // Elements of RSS have no namespace, and a feed may have thousands of them.
        !element.namespace.isEmpty && element.namespace.lowercased().contains("atom")
    }

    // MARK: Ends

    mutating func endField() {
        guard let field else { return }
        self.field = nil
        let text = field.trimmed
        switch field.kind {
        case .title(let rank):
            if draft != nil {
                draft?.setTitle(FeedEntry.Text(text: text, isMarkup: field.isMarkup), rank: rank)
            } else if containers.image == nil, !text.isEmpty {
                feed.title = feed.title ?? FeedEntry.Text(text: text, isMarkup: field.isMarkup)
            }
        case .description: draft?.setDescription(FeedEntry.Text(text: text, isMarkup: field.isMarkup))
        case .mediaDescription: draft?.setSpareDescription(FeedEntry.Text(text: text, isMarkup: field.isMarkup))
        case .link:
            if let url = address(text) { draft?.setLink(url) }
        case .id(let kind): endID(text, kind)
        case .published, .updated, .created:
            if let date = FeedDate.date(from: text) { draft?.setDate(field.kind, date) }
        case .author(let rank):
            if let name = Self.name(text) { setCreator(name, rank: rank) }
        case .authorName:
            if let name = Self.name(text) { setCreator(name, rank: 3) }
        case .authorMail:
            // Better than nothing.
            if let name = Self.name(text) { setCreator(name, rank: 1) }
        case .authorURL:
            guard let url = address(text) else { return }
            if draft != nil { draft?.setCreatorURL(url) } else if feed.creator?.url == nil { feed.creator?.url = url }
        case .tag: draft?.addTag(text.isEmpty ? field.spare ?? "" : text)
        case .tags: for tag in text.split(separator: ",") { draft?.addTag(String(tag)) }
        case .image:
            // Elements in it say more of it.
            if let url = address(field.spare) ?? (field.hasElements ? nil : address(text)) { addPicture(url) }
        case .language: if draft == nil, !text.isEmpty { feed.language = feed.language ?? text }
        case .duration: if let duration = FeedNumber.duration(text) { draft?.setDuration(duration) }
        case .comments: if let count = FeedNumber.count(text) { draft?.setComments(Int(count)) }
        case .rating: if text.lowercased() == "adult" { draft?.setSensitive() }
        case .adult: if text.lowercased() == "true" { draft?.setSensitive() }
        case .mediaTitle:
            if let place = containers.media?.place, !text.isEmpty { draft?.setTitle(ofMedia: place, text) }
        }
    }

    private mutating func endID(_ text: String, _ kind: Field.IDKind) {
        guard draft != nil, !text.isEmpty else { return }
        draft?.id = text
        // RSS makes any guid a permalink by default, but a bare number and `urn:` are not links.
        let isLink =
            switch kind {
            case .name: false
            case .link: text.utf8.contains { !(0x30...0x39).contains($0) }
            case .perhapsLink: text.prefix(4).lowercased() == "http" || text.hasPrefix("/")
            }
        if isLink, let url = address(text) { draft?.setSpareLink(url) }
    }

    private mutating func setCreator(_ name: String, rank: Int) {
        if draft != nil {
            draft?.setCreator(Item.Creator(name: name), rank: rank)
        } else if feed.creator == nil {
            feed.creator = Item.Creator(name: name)
        }
    }

    /// The name in "mail@example.org (Name)" and "Name <mail@example.org>"; the address, if there is nothing else; nil
    /// if there is nothing.
    private static func name(_ text: String) -> String? {
        guard !text.isEmpty, text.utf8.count <= ItemLimit.word * 4 else { return nil }
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        if let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close {
            let name = String(text[text.index(after: open)..<close]).stripped
            if !name.isEmpty, !name.utf8.contains(UInt8(ascii: "@")) { return name }
            let before = String(text[..<open]).stripped
            if !before.isEmpty { return before }
        }
        if let open = text.firstIndex(of: "<") {
            let name = String(text[..<open]).filter { $0 != "\"" }.stripped
            return name.isEmpty ? String(text[open...].filter { $0 != "<" && $0 != ">" }).stripped : name
        }
        return text
    }
}
