/// Which query items and header fields contain secrets, judged by their names. Pure.
public enum SecretNames {
    private static let parts = [
        "token", "secret", "password", "passwd", "auth", "session", "signature", "credential", "apikey", "cookie",
        "jwt",
    ]
    private static let whole: Set<String> = [
        "key", "sig", "sid", "pass", "pwd", "code", "hdnts", "hdnea", "hdntl", "policy", "hmac", "hash", "key-pair-id",
    ]

    package static func isSecretItem(_ name: some StringProtocol) -> Bool {
        let name = name.lowercased()
        return whole.contains(name) || parts.contains { name.contains($0) } || name.hasSuffix("key")
            || name.hasSuffix("_sig")
            || name.hasPrefix("x-amz-") || name.hasPrefix("x-goog-")
    }

    /// The name that a feed's service knows the user by, in each request: another server that
    /// knew it could follow the user, and act in the user's name.
    package static let viewerField = "Flick-Viewer"

    /// Such fields are sent to the asset's own origin only, and never shown.
    public static func isSecretField(_ name: String) -> Bool {
        let name = name.lowercased()
        return parts.contains { name.contains($0) } || name.contains("key") || name == viewerField.lowercased()
    }
}
