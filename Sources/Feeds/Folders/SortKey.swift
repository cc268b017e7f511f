import Bytes
import Model
import Platform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The sort key of an item. Makes no items of a folder's clips, because each would cost a hash.
enum SortKey {
    static func name(_ list: any ItemList, _ index: Int) -> [UInt8] {
        if let paths = list as? PathList {
            return ClipName.stem(ofPath: paths.path(at: index))
        }
        let item = list[index]
        return Array((item.title ?? item.url).utf8)
    }

    /// When it was published, in seconds since 1970; the modification time of a file without a date. nil if neither is
    /// known. Blocks on the disk.
    static func time(_ list: any ItemList, _ index: Int) -> Double? {
        if let paths = list as? PathList { return modified(paths.path(at: index)) }
        let item = list[index]
        if let published = item.published { return published.timeIntervalSince1970 }
        return FileURL.path(of: item.url).flatMap(modified)
    }

    private static func modified(_ path: [UInt8]) -> Double? {
        var facts = stat()
        guard path.withCString({ stat($0, &facts) }) == 0 else { return nil }
        return Double(facts.modified.tv_sec) + Double(facts.modified.tv_nsec) / 1e9
    }
}
