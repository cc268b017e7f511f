enum SafeURL {
    static func of(_ url: String) -> String { url }
}
