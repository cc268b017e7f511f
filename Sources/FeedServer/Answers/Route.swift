import HTTPTypes
import Model

/// The resource that a request's method and path identify. A value.
enum Route: Equatable {
    /// The server's address alone, as a person copies it: leads to the feed.
    case root
    case feed, feedXML
    case media(String)
    /// A file that the playlist of that item references, by its path beside it.
    case part(String, String)
    case still(String)
    /// The file of subtitles beside that item with this suffix: ".en.vtt".
    case subtitles(String, String)
    case trackView, trackEngagement
    case listComments(String)
    case addComment(String)
    /// A comment, by its id and its item's: whether it is to be there.
    case keepComment(String, String, isThere: Bool)
    case likeComment(String, String, isOn: Bool)
    case reportComment(String, String)
    case keepItem(String, isThere: Bool)
    case react(ServiceReaction, String, isOn: Bool)
    case follow(String, isOn: Bool)
    case share(String)
    case health, metrics, openAPI, statistics, reports

    /// The table of all routes: methods, path, and their names in the metrics. `ID` stands for
    /// one segment, or the part of it before the text that follows here; `.REST` for a segment
    /// from its first dot on, `COMMENT` for a comment's id, `PATH` for all segments that follow.
    static let table: [(methods: [String], path: String, name: String)] = [
        (["GET", "HEAD"], "/", "root"),
        (["GET", "HEAD"], "/feed.json", "feed"), (["GET", "HEAD"], "/feed.xml", "feed_xml"),
        (["GET", "HEAD"], "/media/ID", "media"), (["GET", "HEAD"], "/media/ID/PATH", "part"),
        (["GET", "HEAD"], "/still/ID.jpg", "still"), (["GET", "HEAD"], "/subtitles/ID.REST", "subtitles"),
        (["POST"], "/videos/track_view", "track_view"), (["POST"], "/videos/track_engagement", "track_engagement"),
        (["PUT", "DELETE"], "/videos/ID", "item"), (["GET", "HEAD", "POST"], "/videos/ID/comments", "comments"),
        (["PUT", "DELETE"], "/videos/ID/comments/COMMENT", "comment"),
        (["PUT", "DELETE"], "/videos/ID/comments/COMMENT/like", "comment_like"),
        (["POST"], "/videos/ID/comments/COMMENT/report", "comment_report"),
        (["PUT", "DELETE"], "/videos/ID/like", "like"),
        (["PUT", "DELETE"], "/videos/ID/dislike", "dislike"), (["PUT", "DELETE"], "/videos/ID/save", "save"),
        (["POST"], "/videos/ID/share", "share"), (["PUT", "DELETE"], "/creators/ID/follow", "follow"),
        (["GET", "HEAD"], "/healthz", "healthz"), (["GET", "HEAD"], "/metrics", "metrics"),
        (["GET", "HEAD"], "/openapi.json", "openapi"), (["GET", "HEAD"], "/stats.json", "stats"),
        (["GET", "HEAD"], "/reports.json", "reports"),
    ]

    /// Finds the route, and its name in the table.
    ///
    /// - Parameter path: as it was sent, without the query.
    static func find(_ method: String, _ path: Substring) throws(RequestError) -> (route: Route, name: String) {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= 2_048 else { throw RequestError.unknownPath }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let text = AddressQuery.decoded(part, plusIsSpace: false) else { throw RequestError.unknownPath }
            segments.append(text)
        }
        for row in table {
            guard let (id, rest) = match(segments, row.path) else { continue }
            guard row.methods.contains(method) else {
                throw RequestError(
                    .methodNotAllowed, "allowed methods: \(row.methods.joined(separator: ", "))",
                    headers: [.allow: row.methods.joined(separator: ", ")])
            }
            return (route(row.name, method, id, rest), row.name)
        }
        throw RequestError.unknownPath
    }

    /// The id in the path, and what follows it; empty ones where the pattern has none. nil if they do not match.
    private static func match(_ segments: [String], _ pattern: String) -> (id: String, rest: String)? {
        let parts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let hasRest = parts.last == "PATH"
        guard hasRest ? segments.count >= parts.count : segments.count == parts.count else { return nil }
        var (id, comment) = ("", "")
        for (part, segment) in zip(hasRest ? parts.dropLast() : parts[...], segments) {
            if part == "ID.REST" {
                guard let dot = segment.firstIndex(of: "."), dot > segment.startIndex, segment.last != "." else {
                    return nil
                }
                return (String(segment[..<dot]), String(segment[dot...]))
            } else if part == "COMMENT" {
                guard !segment.isEmpty else { return nil }
                comment = segment
            } else if part.hasPrefix("ID") {
                let ending = part.dropFirst(2)
                guard segment.hasSuffix(ending), segment.utf8.count > ending.utf8.count else { return nil }
                id = String(segment.dropLast(ending.count))
            } else if segment != part {
                return nil
            }
        }
        return (id, hasRest ? segments[(parts.count - 1)...].joined(separator: "/") : comment)
    }

    private static func route(_ name: String, _ method: String, _ id: String, _ rest: String) -> Route {
        switch name {
        case "root": .root
        case "feed": .feed
        case "feed_xml": .feedXML
        case "media": .media(id)
        case "part": .part(id, rest)
        case "still": .still(id)
        case "subtitles": .subtitles(id, rest)
        case "track_view": .trackView
        case "track_engagement": .trackEngagement
        case "comments": method == "POST" ? .addComment(id) : .listComments(id)
        case "item": .keepItem(id, isThere: method == "PUT")
        case "comment": .keepComment(id, rest, isThere: method == "PUT")
        case "comment_like": .likeComment(id, rest, isOn: method == "PUT")
        case "comment_report": .reportComment(id, rest)
        case "share": .share(id)
        case "follow": .follow(id, isOn: method == "PUT")
        case "healthz": .health
        case "metrics": .metrics
        case "openapi": .openAPI
        case "stats": .statistics
        case "reports": .reports
        // The three reactions are named like their rows.
        default: .react(ServiceReaction(rawValue: name)!, id, isOn: method == "PUT")
        }
    }
}

/// The query of an address: names and texts. Of a name that occurs twice the first counts. A value.
struct AddressQuery: Equatable {
    private var texts: [String: String] = [:]

    init(_ query: Substring?) throws(RequestError) {
        for pair in (query ?? "").split(separator: "&").prefix(64) {
            let ends = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(ends[0], plusIsSpace: true),
                let text = Self.decoded(ends.count > 1 ? ends[1] : "", plusIsSpace: true)
            else { throw RequestError(.badRequest, "the query is not UTF-8 in percent-encoding") }
            if texts[name] == nil { texts[name] = text }
        }
    }

    subscript(_ name: String) -> String? { texts[name] }

    /// nil if the field is missing. Throws if it is there and no number in `range`.
    func number(_ name: String, in range: ClosedRange<Int>) throws(RequestError) -> Int? {
        guard let text = texts[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw RequestError(
                .badRequest, "\(name): it is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// nil for what is no well-formed percent-encoding, is not UTF-8, or holds NUL.
    static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            var byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, let high = FileURL.digit(bytes[index + 1]),
                    let low = FileURL.digit(bytes[index + 2])
                else { return nil }
                byte = high << 4 | low
                index += 2
            } else if byte == UInt8(ascii: "+"), plusIsSpace {
                byte = 0x20
            }
            guard byte != 0 else { return nil }
            decoded.append(byte)
            index += 1
        }
        return String(validating: decoded, as: UTF8.self)
    }
}

/// The description of the service for machines, built in: docs/openapi.json.
enum OpenAPI {
    static let document = PackageResources.openapi_json
}
