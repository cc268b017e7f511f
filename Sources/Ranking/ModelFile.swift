import Model

/// Why a saved model cannot be used. It is then rebuilt from what was watched.
public enum ModelFileError: Error, Equatable, CustomStringConvertible {
    /// Not what flick wrote.
    case foreign
    /// Another version of flick wrote it: its numbers mean something else.
    case otherVersion(UInt16)
    /// Its length, checksum or contents are wrong.
    case damaged

    public var description: String {
        switch self {
        case .foreign: "not a model of flick"
        case .otherVersion(let version): "version \(version) of the format, which this flick does not read"
        case .damaged: "damaged"
        }
    }
}

extension TasteModel {
    // "FLKR", the version (2 bytes), the number of clips (4) and of weights (4); of each weight its key (8), mean,
    // variance, `at`, `count` and `finished` (4 each); a checksum of all that (8). All in little-endian order.
    private static let magic: [UInt8] = Array("FLKR".utf8)
    /// To be raised with each change of what features or weights mean.
    private static let version: UInt16 = 1
    private static let headLength = 14
    private static let weightLength = 28

    /// As it is written to a file: at most 0.9 MB.
    public var encoded: [UInt8] {
        let entries = weights.entries
        var bytes = Self.magic
        bytes.reserveCapacity(Self.headLength + entries.count * Self.weightLength + 8)
        bytes.append(Self.version)
        bytes.append(clips)
        bytes.append(UInt32(entries.count))
        for (key, weight) in entries {
            bytes.append(key)
            bytes.append(weight.mean.bitPattern)
            bytes.append(weight.variance.bitPattern)
            bytes.append(weight.at)
            bytes.append(weight.count.bitPattern)
            bytes.append(weight.finished.bitPattern)
        }
        bytes.append(Self.checksum(bytes[...]))
        return bytes
    }

    /// Reads what `encoded` made. Refuses everything else, so that no damaged number comes into a ranking.
    public init(decoding bytes: [UInt8]) throws(ModelFileError) {
        guard bytes.starts(with: Self.magic) else { throw .foreign }
        guard bytes.count >= Self.headLength + 8 else { throw .damaged }
        var rest = bytes[Self.magic.count...]
        let version: UInt16 = rest.take()
        guard version == Self.version else { throw .otherVersion(version) }
        let clips: UInt32 = rest.take()
        let count: UInt32 = rest.take()
        guard count <= WeightTable.capacity, bytes.count == Self.headLength + Int(count) * Self.weightLength + 8 else {
            throw .damaged
        }
        var sum = bytes[(bytes.count - 8)...]
        guard sum.take() == Self.checksum(bytes.dropLast(8)) else { throw .damaged }
        var table = WeightTable()
        for _ in 0..<count {
            let key: UInt64 = rest.take()
            let weight = Weight(
                mean: rest.takeFloat(), variance: rest.takeFloat(), at: rest.take(), count: rest.takeFloat(),
                finished: rest.takeFloat())
            guard FeatureKey.kind(of: key) != nil, weight.isSound, weight.at <= clips, table[key] == nil else {
                throw .damaged
            }
            table.set(key, weight, now: clips)
        }
        guard table.count == count else { throw .damaged }
        self.init(weights: table, clips: clips)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 { ItemID.number(ofBytes: bytes) }
}

extension Weight {
    /// Whether its numbers are such as learning makes. False for NaN, too.
    fileprivate var isSound: Bool {
        abs(mean) <= 1 && variance > 0 && variance <= 1 && count >= 0 && count <= 11 && finished >= 0
            && finished <= count
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}

extension ArraySlice<UInt8> {
    /// The next number. There must be enough bytes.
    fileprivate mutating func take<Number: FixedWidthInteger>() -> Number {
        let size = MemoryLayout<Number>.size
        defer { self = dropFirst(size) }
        return prefix(size).reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    fileprivate mutating func takeFloat() -> Float { Float(bitPattern: take()) }
}
