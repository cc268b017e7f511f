import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A page of the feed as RSS 2.0 with Media RSS 1.5.1, for readers and podcast programs. Pure.
enum MediaRSS {
    static func text(_ page: FeedPage, own address: String) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom">
            <channel><title>\(escaped(page.title))</title><link>\(escaped(page.engagement))</link>\
            <description>\(escaped(page.title))</description>\
            <atom:link rel="self" type="application/rss+xml" href="\(escaped(address))"/>

            """
        if let next = page.next { text += "<atom:link rel=\"next\" href=\"\(escaped(next))\"/>\n" }
        for entry in page.entries { text += item(entry) }
        return text + "</channel></rss>\n"
    }

    private static func item(_ entry: FeedPage.Entry) -> String {
        let (item, url) = (entry.item, escaped(entry.item.url))
        var text = "<item><guid isPermaLink=\"false\">\(escaped(item.id))</guid>"
        text += "<title>\(escaped(item.title ?? item.id))</title>"
        text += "<link>\(escaped(item.link ?? item.url))</link>"
        if let description = item.text { text += "<description>\(escaped(description))</description>" }
        if let published = item.published {
            text += "<pubDate>\(HTTPDate.text(seconds: published.wholeSecondsSince1970))</pubDate>"
        }
        text += "<enclosure url=\"\(url)\" length=\"\(entry.size)\" type=\"\(entry.type)\"/>"
        text += "<media:content url=\"\(url)\" fileSize=\"\(entry.size)\" type=\"\(entry.type)\""
        if let duration = item.duration { text += " duration=\"\(duration.components.seconds)\"" }
        text += "/>"
        if let thumbnail = item.thumbnail { text += "<media:thumbnail url=\"\(escaped(thumbnail))\"/>" }
        for caption in item.captions {
            text += "<media:subTitle"
            if let type = ServedMediaType.of(url: caption.url) { text += " type=\"\(type)\"" }
            if let language = caption.language { text += " lang=\"\(escaped(language))\"" }
            text += " href=\"\(escaped(caption.url))\"/>"
        }
        if let name = item.creator?.name { text += "<media:credit role=\"author\">\(escaped(name))</media:credit>" }
        for tag in item.tags { text += "<category>\(escaped(tag))</category>" }
        return text + "</item>\n"
    }

    /// Text that is neither markup nor, as XML 1.0 (2.2) forbids, a control character.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: result.append(contentsOf: "&amp;".unicodeScalars)
            case 0x3C: result.append(contentsOf: "&lt;".unicodeScalars)
            case 0x3E: result.append(contentsOf: "&gt;".unicodeScalars)
            case 0x22: result.append(contentsOf: "&quot;".unicodeScalars)
            case 0x27: result.append(contentsOf: "&#39;".unicodeScalars)
            case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF:
                result.append(scalar)
            default: result.append("\u{FFFD}")
            }
        }
        return String(result)
    }
}

extension Date {
    init(secondsSince1970 seconds: Int64) { self.init(timeIntervalSince1970: Double(seconds)) }

    var wholeSecondsSince1970: Int64 { Int64(timeIntervalSince1970.rounded(.down)) }
}
