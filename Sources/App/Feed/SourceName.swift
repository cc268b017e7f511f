import Model

/// A feed's sources for scripts, trace and log.
enum SourceName {
    /// URLs with blanks between them, without what is secret in them. Those of files stay URLs.
    static func text(_ urls: String) -> String {
        urls.split(separator: " ").map { url in
            FileURL.path(of: String(url)) == nil ? SafeURL.text(String(url)) : String(url)
        }.joined(separator: " ")
    }
}
