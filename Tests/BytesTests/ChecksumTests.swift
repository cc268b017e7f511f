import Testing

@testable import Bytes
@testable import Cache

@Suite struct ChecksumTests {
    private func sum(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { Checksum.of($0) } }

    /// Sums that the reference implementation prints.
    @Test func itIsXXH64() {
        #expect(sum([]) == 0xEF46_DB37_51D8_E999)
        #expect(sum(Array("a".utf8)) == 0xD24E_C4F1_A98C_6E5B)
        #expect(sum(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
        #expect(sum(Array("Nobody inspects the spammish repetition".utf8)) == 0xFBCE_A83C_8A37_8BF1)
    }

    @Test func everyBitChangesTheSum() {
        for size in [1, 3, 4, 7, 8, 12, 31, 32, 33, 63, 100] {
            var bytes = pattern(size)
            let whole = sum(bytes)
            for index in bytes.indices {
                for bit in 0..<8 {
                    bytes[index] ^= 1 << bit
                    #expect(sum(bytes) != whole)
                    bytes[index] ^= 1 << bit
                }
            }
        }
    }

    @Test func theSumDoesNotDependOnAlignment() {
        let bytes = pattern(200)
        for shift in 1..<9 {
            let moved = [UInt8](repeating: 0, count: shift) + bytes
            #expect(moved.withUnsafeBytes { Checksum.of(UnsafeRawBufferPointer(rebasing: $0[shift...])) } == sum(bytes))
        }
    }
}
