import Model

/// The chapters of a podcast: `{"chapters": [{"startTime": 94.5, "title": "…"}]}` (Podcasting 2.0, "JSON chapters"; the
/// same with `start` and `start_time`, as manifests and yt-dlp have them). Nothing in it is trusted. Pure.
///
/// - Parameter bytes: UTF-8. Those beyond the first 4 MB do not count.
/// - Returns: in order of their starts; none if it is something else.
public func chapters(ofText bytes: some Collection<UInt8>) -> [Chapter] {
    var rest = Array(bytes.prefix(4 << 20))[...]
    let count = rest.count
    var parser = JSONParser {
        defer { rest = [] }
        return Array(rest)
    }
    do throws(JSONError) {
        guard let value = try parser.value(upTo: count) else { return [] }
        return Chapter.list(of: value["chapters"] ?? value)
    } catch {
        return []
    }
}
