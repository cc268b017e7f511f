import Bytes
import Model
import Platform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The order that people expect of names: "clip 9" before "clip 10", regardless of case, with a folder's own clips
/// together. Pure.
public enum NaturalOrder {
    /// Whether `left` comes before `right`. Compares runs of digits by value and ASCII letters
    /// regardless of case; `/` comes before anything else. Names that are equal in this sense are
    /// compared byte by byte, so only identical names are equal.
    public static func isBefore(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        var (i, j) = (0, 0)
        while i < left.count && j < right.count {
            let (one, other) = (left[i], right[j])
            if isDigit(one) && isDigit(other) {
                let comparison = compareNumbers(left, &i, right, &j)
                if comparison != 0 { return comparison < 0 }
                continue
            }
            if one != other {
                let (one, other) = (folded(one), folded(other))
                if one != other { return one < other }
            }
            i += 1
            j += 1
        }
        let (restOfLeft, restOfRight) = (left.count - i, right.count - j)
        // One name begins with the other: the shorter comes first.
        if (restOfLeft == 0) != (restOfRight == 0) { return restOfLeft == 0 }
        return left.lexicographicallyPrecedes(right)
    }

    public static func isBefore(_ left: String, _ right: String) -> Bool {
        Array(left.utf8).withUnsafeBufferPointer { left in
            Array(right.utf8).withUnsafeBufferPointer { isBefore(left, $0) }
        }
    }

    /// Compares two runs of digits by value; negative if the left is less. Moves both indices behind them. The length
    /// does not matter, because no number is computed.
    @inline(__always)
    private static func compareNumbers(
        _ left: UnsafeBufferPointer<UInt8>, _ i: inout Int, _ right: UnsafeBufferPointer<UInt8>, _ j: inout Int
    ) -> Int {
        while i < left.count && left[i] == 0x30 { i += 1 }
        while j < right.count && right[j] == 0x30 { j += 1 }
        let (startOfLeft, startOfRight) = (i, j)
        var difference = 0
        while i < left.count && j < right.count && isDigit(left[i]) && isDigit(right[j]) {
            if difference == 0 { difference = Int(left[i]) - Int(right[j]) }
            i += 1
            j += 1
        }
        while i < left.count && isDigit(left[i]) { i += 1 }
        while j < right.count && isDigit(right[j]) { j += 1 }
        let (digitsOfLeft, digitsOfRight) = (i - startOfLeft, j - startOfRight)
        return digitsOfLeft == digitsOfRight ? difference : digitsOfLeft - digitsOfRight
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    @inline(__always)
    private static func folded(_ byte: UInt8) -> UInt8 {
        // The slash comes first, so that "a b" does not come between "a/x" and "a/y".
        if byte == 0x2F { return 0 }
        return byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}

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
