import Model

/// What a file beside a clip says of it: an item object as in a manifest. A value.
///
/// What it does not name stays as it is known. Its id, URL, counts and headers do not count: those are the server's.
package struct Sidecar: Sendable {
    /// The most bytes of such a file.
    package static let sizeLimit = 1 << 16

    private let item: Item
    private let namesTitle: Bool

    /// Throws what is wrong, in words.
    package init(_ bytes: [UInt8]) throws(Trouble) {
        guard bytes.count <= Self.sizeLimit else { throw Trouble(why: "it is larger than \(Self.sizeLimit >> 10) KB") }
        var value: JSON
        do throws(JSONError) { value = try JSON(whole: bytes) } catch { throw Trouble(why: "\(error)") }
        guard case .object(var fields) = value else { throw Trouble(why: "it is not an object") }
        namesTitle = value["title"]?.asText(limit: 1) != nil
        // The clip's own address is not known yet. Only whole addresses can be read, as there is nothing that others would be relative to.
        fields["url"] = .text(Self.nowhere)
        fields["headers"] = nil
        value = .object(fields)
        do throws(ItemReader.Refusal) {
            item = try ItemReader(base: Self.nowhere, privateHosts: .always).item(value).item
        } catch {
            throw Trouble(why: error.why)
        }
    }

    package struct Trouble: Error {
        package let why: String

        package init(why: String) { self.why = why }
    }

    /// RFC 2606: a name that no host has.
    private static let nowhere = "http://sidecar.invalid/"

    private static func whole(_ url: String?) -> String? { url.flatMap { $0.hasPrefix(nowhere) ? nil : $0 } }

    package var tags: [String] { item.tags }
    package var creator: Item.Creator? { item.creator }

    /// Puts what it names over what is known of `known`.
    package func apply(to known: inout Item) {
        if namesTitle { known.title = item.title }
        known.thumbnail = Self.whole(item.thumbnail) ?? known.thumbnail
        known.blurHash = item.blurHash ?? known.blurHash
        known.text = item.text ?? known.text
        known.duration = item.duration ?? known.duration
        known.published = item.published ?? known.published
        if var creator = item.creator {
            creator.avatar = Self.whole(creator.avatar)
            creator.url = Self.whole(creator.url)
            known.creator = creator
        }
        if !item.tags.isEmpty { known.tags = item.tags }
        known.sound = item.sound ?? known.sound
        known.trust = item.trust ?? known.trust
        known.link = Self.whole(item.link) ?? known.link
    }
}
