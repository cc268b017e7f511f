/// Where an asset may lead (L9).
public enum LinkPolicy {
    /// Whether what lies at `source` (a manifest, a playlist, an item) may have `target` read: what came over the network may only lead to http and
    /// https, never to files of this machine or other protocols. A local file may also lead to local files. Both are absolute URLs.
    public static func allows(_ target: String, from source: String) -> Bool {
        guard let target = URLParts(target)?.scheme, let source = URLParts(source)?.scheme else { return false }
        switch target {
        case "http", "https": return source == "file" || source == "http" || source == "https"
        case "file": return source == "file"
        default: return false
        }
    }
}
