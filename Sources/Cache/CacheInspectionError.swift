/// Why `CacheInspection` fails, as one line. A value.
public struct CacheInspectionError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
    /// Whether emptying the cache helps.
    public let isDamage: Bool

    init(_ description: String, isDamage: Bool = false) {
        self.description = description
        self.isDamage = isDamage
    }
}
