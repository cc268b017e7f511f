#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Date {
    init(secondsSince1970 seconds: Int64) { self.init(timeIntervalSince1970: Double(seconds)) }

    var wholeSecondsSince1970: Int64 { Int64(timeIntervalSince1970.rounded(.down)) }
}
