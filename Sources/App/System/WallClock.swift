#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The time of day, which people and other programs see. It may be set at any time.
enum WallClock {
    /// In seconds since 1970.
    static var now: Double { Date().timeIntervalSince1970 }
}
