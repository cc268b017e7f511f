import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An entry while it is being read: of what says the same, the best counts. A value.
struct EntryDraft {
    static let mediaLimit = 64
    static let tagLimit = 64
    static let thumbnailLimit = 8

    private var entry = FeedEntry()
    private var titleRank = 0
    private var creatorRank = 0
    private var creatorURL: String?
    private var created: Date?
    /// In bytes; 0 if it does not fit.
    private var descriptionSize = 0
    /// A description of one of its media: used if the entry has no other.
    private var spareDescription: FeedEntry.Text?
    /// The link if the entry has no other.
    private var spareLink: String?
    /// One for each of its files of subtitles.
    private var captionRanks: [Int] = []
    /// Of media by address: where they are in the list.
    private var places: [String: Int] = [:]

    var id: String? {
        get { entry.id }
        set { entry.id = newValue }
    }

    /// The whole entry.
    ///
    /// - Parameter feed: its creator and picture are those of entries without any.
    func finished(_ feed: SyndicationFeed) -> FeedEntry {
        var entry = entry
        entry.link = entry.link ?? spareLink
        entry.description = entry.description ?? spareDescription
        entry.published = entry.published ?? created
        if let creatorURL, entry.creator?.url == nil { entry.creator?.url = creatorURL }
        entry.creator = entry.creator ?? feed.creator
        if entry.thumbnails.isEmpty, let image = feed.image { entry.thumbnails = [image] }
        return entry
    }

    /// The first of the highest rank counts.
    mutating func setTitle(_ text: FeedEntry.Text, rank: Int) {
        guard !text.text.isEmpty, rank > titleRank else { return }
        (entry.title, titleRank) = (text, rank)
    }

    /// The longest that fits counts, else the first.
    mutating func setDescription(_ text: FeedEntry.Text) {
        // A text has at most as many scalars as bytes, so counting is rarely needed.
        let size = text.text.utf8.count
        let fits = size <= ItemLimit.text || text.text.unicodeScalars.count <= ItemLimit.text
        guard size > 0, entry.description == nil || fits && size > descriptionSize else { return }
        (entry.description, descriptionSize) = (text, fits ? size : 0)
    }

    mutating func setSpareDescription(_ text: FeedEntry.Text) {
        if spareDescription == nil, !text.text.isEmpty { spareDescription = text }
    }

    mutating func setCreator(_ creator: Item.Creator, rank: Int) {
        guard rank > creatorRank else { return }
        (entry.creator, creatorRank) = (creator, rank)
    }

    /// The address of the first author that has one.
    mutating func setCreatorURL(_ url: String) { creatorURL = creatorURL ?? url }

    mutating func setLink(_ url: String) { entry.link = url }

    mutating func setSpareLink(_ url: String) { spareLink = spareLink ?? url }

    mutating func setDate(_ kind: SyndicationField.Kind, _ date: Date) {
        switch kind {
        case .published: entry.published = date
        case .updated: entry.updated = date
        default: created = date
        }
    }

    mutating func setSensitive() { entry.isSensitive = true }

    mutating func setDuration(_ duration: Duration) { entry.duration = entry.duration ?? duration }

    mutating func addTag(_ tag: String) {
        let tag = tag.stripped
        guard !tag.isEmpty, tag.utf8.count <= ItemLimit.word * 4, entry.tags.count < Self.tagLimit,
            !entry.tags.contains(tag)
        else { return }
        entry.tags.append(tag)
    }

    mutating func addThumbnail(_ url: String) {
        guard entry.thumbnails.count < Self.thumbnailLimit, !entry.thumbnails.contains(url) else { return }
        entry.thumbnails.append(url)
    }

    mutating func addChapter(_ chapter: Chapter) {
        guard entry.chapters.count < Chapter.limit else { return }
        // They mostly come in order.
        let place = entry.chapters.lastIndex { $0.start <= chapter.start }.map { $0 + 1 } ?? 0
        entry.chapters.insert(chapter, at: place)
    }

    mutating func setChapters(_ url: String) { entry.chaptersURL = entry.chaptersURL ?? url }

    /// Adds a file of subtitles; of one language the form counts that `rank` puts lowest.
    mutating func addCaptions(_ link: CaptionLink, rank: Int) {
        if let place = entry.captions.firstIndex(where: { $0.language == link.language }) {
            guard rank < captionRanks[place] else { return }
            (entry.captions[place], captionRanks[place]) = (link, rank)
        } else if entry.captions.count < CaptionLink.limit {
            entry.captions.append(link)
            captionRanks.append(rank)
        }
    }

    mutating func setLikes(_ count: Int) { change { $0.likes = count } }
    mutating func setSaves(_ count: Int) { change { $0.saves = count } }
    mutating func setComments(_ count: Int) { change { $0.comments = count } }

    private mutating func change(_ body: (inout Item.Stats) -> Void) {
        var stats = entry.stats ?? Item.Stats()
        body(&stats)
        entry.stats = stats
    }

    /// Adds media; what has the same address is completed instead. Returns its place; nil if there are too many.
    mutating func add(_ media: FeedMedia) -> Int? {
        if let place = places[media.url] {
            entry.media[place].complete(with: media)
            return place
        }
        guard entry.media.count < Self.mediaLimit else { return nil }
        places[media.url] = entry.media.count
        entry.media.append(media)
        return entry.media.count - 1
    }

    mutating func setTitle(ofMedia place: Int, _ title: String) {
        entry.media[place].title = entry.media[place].title ?? title
    }
}

extension FeedMedia {
    /// Takes over what another mention of it says besides.
    fileprivate mutating func complete(with other: FeedMedia) {
        type = type ?? other.type
        medium = medium ?? other.medium
        length = length ?? other.length
        width = width ?? other.width
        height = height ?? other.height
        bitrate = bitrate ?? other.bitrate
        duration = duration ?? other.duration
        isDefault = isDefault || other.isDefault
        isSample = isSample && other.isSample
        language = language ?? other.language
        title = title ?? other.title
    }
}
