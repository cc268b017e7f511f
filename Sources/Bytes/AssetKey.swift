/// What a URL's bytes are kept under: the same for all URLs that lead to the same bytes.
struct AssetKey: Hashable, Sendable {
    /// The canonical URL.
    let text: String
    /// SHA-256 of `text` in hexadecimal digits.
    let hash: String

    /// nil for what is no http or https URL.
    init?(_ url: String) { fatalError("to come") }
}
