import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The content of one entry of a feed, whatever its format: RSS, RDF, Atom, JSON Feed, XSPF. A value.
///
/// Addresses are absolute, but not yet checked (see `URLAccessPolicy`). Texts
/// are as in the feed, neither trusted nor cleaned.
struct FeedEntry: Equatable, Sendable {
    /// A text that may be HTML.
    struct Text: Equatable, Sendable {
        var text: String
        var isMarkup: Bool
    }

    /// `guid`, `atom:id`.
    var id: String?
    var title: Text?
    /// The longer of the descriptions that fits `ItemLimit.text`.
    var description: Text?
    /// The web page of the entry.
    var link: String?
    var published: Date?
    var updated: Date?
    var creator: Item.Creator?
    var tags: [String] = []
    /// `itunes:duration` and the like: of the entry as a whole.
    var duration: Duration?
    /// The addresses of pictures, the best first.
    var thumbnails: [String] = []
    var stats: Item.Stats?
    /// Not everybody wants to see it unasked; and what is said before that.
    var isSensitive = false
    var warning: String?
    /// Transcripts and subtitles: of one language there is one.
    var captions: [CaptionLink] = []
    /// In order of their starts.
    var chapters: [Chapter] = []
    /// Where its chapters are listed.
    var chaptersURL: String?
    /// In the order of the feed.
    var media: [FeedMedia] = []
}

/// One file or stream that an entry names: an enclosure, `media:content`,
/// `podcast:alternateEnclosure`, an attachment. A value.
struct FeedMedia: Equatable, Sendable {
    enum Medium: Equatable, Sendable { case video, audio, image, other }

    var url: String
    /// The media type as it is written, in lower case and without parameters: "video/mp4".
    var type: String?
    /// The medium that the feed declares; nil if it declares none.
    var medium: Medium?
    /// In bytes.
    var length: Int64?
    /// In pixels.
    var width: Int?
    var height: Int?
    /// In bits a second.
    var bitrate: Int?
    var duration: Duration?
    var isDefault = false
    /// A part or a preview of the whole: `expression="sample"`.
    var isSample = false
    /// BCP 47, as it is written.
    var language: String?
    var title: String?
}
