import Model

/// A feed's sources for scripts, trace and log. Pure.
enum SourceName {
    /// URLs separated by spaces, without secrets. URLs of files stay URLs.
    static func text(_ urls: String) -> String {
        urls.split(separator: " ").map { url in
            FileURL.path(of: String(url)) == nil ? SafeURL.text(String(url)) : String(url)
        }.joined(separator: " ")
    }
}
