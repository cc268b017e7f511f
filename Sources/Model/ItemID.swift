/// Makes ids for items that have none. Pure.
public enum ItemID {
    /// The 64-bit FNV-1a hash of a URL, as 16 hexadecimal digits.
    ///
    /// It must be the same in every run and version, which Swift's `Hasher` is not, and fast enough for a hundred
    /// thousand names. It need not resist attacks, because a feed can choose any id anyway. The probability that any
    /// two of 100,000 URLs collide is 1 in 3.7 thousand million.
    public static func hash(of url: String) -> String { text(of: number(of: url)) }

    /// A hash as its digits.
    package static func text(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The same hash as a number.
    public static func number(of text: String) -> UInt64 { number(ofBytes: text.utf8) }

    package static func number(ofBytes bytes: some Sequence<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }
}
