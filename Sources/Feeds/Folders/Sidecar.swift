import Charset
import Model

/// The content of a file beside a clip: an item object as in a manifest, or yt-dlp's description of the clip. A value.
///
/// Fields that are missing leave the item unchanged. Its id, URL and headers do not count.
package struct Sidecar: Sendable {
    package enum Kind: Sendable {
        /// flick's own: an item of a manifest.
        case item
        /// `--write-info-json` of yt-dlp.
        case info

        /// The most bytes of such a file that are read. One of yt-dlp may be longer, as it
        /// lists all formats and comments; the rest is ignored.
        package var sizeLimit: Int {
            switch self {
            case .item: 1 << 16
            case .info: 1 << 20
            }
        }
    }

    private var item: Item
    private let namesTitle: Bool
    /// The keys of flick's own that it does not know, which have no effect.
    package private(set) var unknownKeys: [String] = []

    /// Throws what is wrong, in words.
    ///
    /// - Parameters:
    ///   - bytes: of all of the file; of a longer one, at least one more than `sizeLimit`.
    ///   - clip: the URL of the clip, if what the file names may lie beside that.
    package init(_ bytes: [UInt8], kind: Kind, beside clip: String? = nil) throws(ReadError) {
        switch kind {
        case .item: try self.init(item: Self.unicode(bytes), base: clip ?? Self.nowhere)
        case .info: try self.init(info: Self.unicode(bytes).prefix(kind.sizeLimit))
        }
    }

    /// JSON is UTF-8, but handwritten files have the encoding of the author's editor.
    private static func unicode(_ bytes: [UInt8]) -> [UInt8] { TextEncoding.utf8(bytes) }

    private init(item bytes: [UInt8], base: String) throws(ReadError) {
        let limit = Kind.item.sizeLimit
        guard bytes.count <= limit else { throw ReadError(why: "it is larger than \(limit >> 10) KB") }
        var value: JSON
        do throws(JSONError) { value = try JSON(whole: bytes) } catch { throw ReadError(why: "\(error)") }
        guard case .object(var fields) = value else { throw ReadError(why: "it is not an object") }
        namesTitle = value[.title]?.asText(limit: 1) != nil
        unknownKeys = ItemField.unknown(in: value)
        // Where the clip itself is not known, only whole addresses can be read, as there is nothing that others would
        // be relative to.
        fields["url"] = .text(base)
        fields["headers"] = nil
        value = .object(fields)
        do throws(ItemError) {
            item = try ItemReader(base: base, privateHosts: base == Self.nowhere ? .always : .sameOrigin).item(value)
                .item
        } catch {
            throw ReadError(why: error.why)
        }
        item.thumbnail = Self.whole(item.thumbnail)
        item.link = Self.whole(item.link)
        item.captions.removeAll { $0.url.hasPrefix(Self.nowhere) }
        item.chaptersURL = Self.whole(item.chaptersURL)
        item.commentsURL = Self.whole(item.commentsURL)
        guard var creator = item.creator else { return }
        creator.avatar = Self.whole(creator.avatar)
        creator.url = Self.whole(creator.url)
        item.creator = creator
    }

    private init(info bytes: ArraySlice<UInt8>) throws(ReadError) {
        let info: YTDLPInfo
        do throws(JSONError) { info = try YTDLPInfo(factsOf: Array(bytes)) } catch {
            throw ReadError(why: "\(error)")
        }
        do throws(ItemError) { item = try info.item(ofFile: Self.nowhere) } catch {
            throw ReadError(why: error.why)
        }
        namesTitle = info.hasTitle
    }

    package struct ReadError: Error {
        package let why: String

        package init(why: String) { self.why = why }
    }

    /// The file beside a clip that is saved, which `Sidecar` reads back: an item of a manifest in one line. It leaves
    /// out what is elsewhere, what changes, and secrets in links; the link of a clip without a page is its own URL. A
    /// text that would make the file too long is left out.
    package static func file(describing item: Item) -> [UInt8] {
        var item = item
        (item.thumbnail, item.stats, item.captions, item.chaptersURL, item.commentsURL) = (nil, nil, [], nil, nil)
        (item.headers, item.resolver, item.own) = ([:], nil, false)
        item.link = (item.link ?? (item.isFile ? nil : item.url)).map(SafeURL.shareable)
        // Where a file was is not for others.
        item.url = item.isFile ? "" : SafeURL.shareable(item.url)
        if var creator = item.creator {
            (creator.avatar, creator.url) = (nil, creator.url.map(SafeURL.shareable))
            item.creator = creator
        }
        let line = ItemJSON.object(item).finished()
        guard line.count > Kind.item.sizeLimit else { return line }
        (item.text, item.chapters) = (nil, [])
        return ItemJSON.object(item).finished()
    }

    /// RFC 2606: a name that no host has.
    static let nowhere = "http://sidecar.invalid/"

    private static func whole(_ url: String?) -> String? { url.flatMap { $0.hasPrefix(nowhere) ? nil : $0 } }

    package var tags: [String] { item.tags }
    package var creator: Item.Creator? { item.creator }

    /// Puts what it names over what is known of `known`.
    package func apply(to known: inout Item) {
        if namesTitle { known.title = item.title }
        known.thumbnail = item.thumbnail ?? known.thumbnail
        known.blurHash = item.blurHash ?? known.blurHash
        known.text = item.text ?? known.text
        known.duration = item.duration ?? known.duration
        known.published = item.published ?? known.published
        known.creator = item.creator ?? known.creator
        if !item.tags.isEmpty { known.tags = item.tags }
        known.sound = item.sound ?? known.sound
        known.trust = item.trust ?? known.trust
        known.stats = item.stats ?? known.stats
        known.link = item.link ?? known.link
        known.isSensitive = item.isSensitive || known.isSensitive
        known.warning = item.warning ?? known.warning
        if !item.captions.isEmpty { known.captions = item.captions }
        if !item.chapters.isEmpty { known.chapters = item.chapters }
        known.chaptersURL = item.chaptersURL ?? known.chaptersURL
        known.commentsURL = item.commentsURL ?? known.commentsURL
    }
}
