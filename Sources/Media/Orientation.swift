internal import CFFmpeg
import Platform

/// How a coded picture comes to stand upright: first mirrored left to right or not, then turned clockwise. A value.
struct Orientation: Equatable {
    var isMirrored = false
    /// Clockwise: 0, 90, 180 or 270.
    var degrees = 0

    /// From a display matrix of nine numbers (ISO/IEC 14496-12, 8.3.2), of
    /// which only mirroring and the nearest quarter turn count.
    init(matrix: UnsafePointer<Int32>) {
        var (across, down) = (Double(matrix[0]), Double(matrix[1]))
        isMirrored = across * Double(matrix[4]) - down * Double(matrix[3]) < 0
        if isMirrored { (across, down) = (-across, -down) }
        guard across != 0 || down != 0 else { return }
        degrees = ((Int((atan2(down, across) / .pi * 2).rounded()) % 4) + 4) % 4 * 90
    }

    init(isMirrored: Bool = false, degrees: Int = 0) {
        self.isMirrored = isMirrored
        self.degrees = degrees
    }

    /// Whether width and height change places.
    var isOnItsSide: Bool { degrees % 180 != 0 }

    /// Where in a picture of `width` × `height` pixels, `stride` apart from row to row, the pixel is that comes to the
    /// top left, and how far it is from there to the pixel that comes to the right of it and to the one below it.
    func walk(width: Int, height: Int, stride: Int) -> (first: Int, right: Int, below: Int) {
        let (left, bottom) = (isMirrored ? width - 1 : 0, (height - 1) * stride)
        let (right, step) = (width - 1 - left, isMirrored ? -1 : 1)
        return switch degrees {
        case 90: (bottom + left, -stride, step)
        case 180: (bottom + right, -step, -stride)
        case 270: (right, stride, -step)
        default: (left, step, stride)
        }
    }
}

/// How a photograph's file says that its picture comes to stand upright: by EXIF in JPEG, PNG, WebP and TIFF, by item
/// properties in AVIF. libav 5 reads that of JPEG only. Nothing in the file is trusted. Pure, except for `read`.
struct PhotoOrientation {
    /// Bytes of the file from an offset on: as many as requested, or fewer where it ends or cannot be read.
    let read: (_ offset: Int64, _ count: Int) -> [UInt8]

    /// Limits: how many parts of a file are examined, and how many bytes into it a part may begin.
    private static let maxParts = 4_096
    private static let farthest: Int64 = 64 << 20

    /// nil if the file does not say, or has another format.
    func find() -> Orientation? {
        let head = read(0, 16)
        guard head.count == 16 else { return nil }
        if head.starts(with: [0xFF, 0xD8]) { return inJPEG() }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return inPNG() }
        if head.starts(with: "RIFF".utf8), head[8..<12].elementsEqual("WEBP".utf8) { return inWebP() }
        if head.starts(with: [0x49, 0x49, 42, 0]) || head.starts(with: [0x4D, 0x4D, 0, 42]) { return inTIFF(at: 0) }
        return head[4..<8].elementsEqual("ftyp".utf8) ? HEIFOrientation(read: read).find() : nil
    }

    /// ITU-T T.81, B.1.1.4: segments of a marker and a length, up to the picture's data. EXIF is in an APP1.
    private func inJPEG() -> Orientation? {
        var offset: Int64 = 2
        for _ in 0..<Self.maxParts {
            let head = read(offset, 10)
            guard head.count == 10, head[0] == 0xFF, head[1] != 0xDA, head[1] != 0xD9 else { return nil }
            if head[1] == 0xFF {
                offset += 1
                continue
            }
            if head[1] == 0xE1, head[4..<10].elementsEqual("Exif\0\0".utf8) { return inTIFF(at: offset + 10) }
            offset += 2 + Int64(head[2]) << 8 + Int64(head[3])
        }
        return nil
    }

    /// PNG, 5.3 (chunks) and 11.3.4.5 (eXIf).
    private func inPNG() -> Orientation? {
        var offset: Int64 = 8
        for _ in 0..<Self.maxParts where offset < Self.farthest {
            let head = read(offset, 8)
            guard head.count == 8, !head[4...].elementsEqual("IEND".utf8) else { return nil }
            if head[4...].elementsEqual("eXIf".utf8) { return inTIFF(at: offset + 8) }
            offset += 12 + head[..<4].reduce(0) { $0 << 8 | Int64($1) }
        }
        return nil
    }

    /// RFC 9649, 2.3 and 2.7: chunks of a name and a length, rounded up to even.
    private func inWebP() -> Orientation? {
        var offset: Int64 = 12
        for _ in 0..<Self.maxParts where offset < Self.farthest {
            let head = read(offset, 14)
            guard head.count >= 8 else { return nil }
            if head[..<4].elementsEqual("EXIF".utf8) {
                // Some programs write JPEG's mark before it.
                return inTIFF(at: offset + (head.dropFirst(8).elementsEqual("Exif\0\0".utf8) ? 14 : 8))
            }
            let length = head[4..<8].reversed().reduce(0) { $0 << 8 | Int64($1) }
            offset += 8 + length + length & 1
        }
        return nil
    }

    /// TIFF 6.0, section 2: the tag 274 (orientation) of the first directory of a TIFF that begins at `start`.
    private func inTIFF(at start: Int64) -> Orientation? {
        let head = read(start, 8)
        guard head.count == 8, head.starts(with: [0x49, 0x49]) || head.starts(with: [0x4D, 0x4D]) else { return nil }
        let isLittle = head[0] == 0x49
        func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
            isLittle ? bytes.reversed().reduce(0) { $0 << 8 | Int64($1) } : bytes.reduce(0) { $0 << 8 | Int64($1) }
        }
        let directory = start + number(head[4..<8])
        let count = read(directory, 2)
        guard count.count == 2 else { return nil }
        let entries = read(directory + 2, 12 * Int(min(number(count[...]), Int64(Self.maxParts))))
        for entry in stride(from: 0, to: entries.count - 11, by: 12) where number(entries[entry..<entry + 2]) == 274 {
            return Orientation(exif: Int(number(entries[entry + 8..<entry + 10])))
        }
        return nil
    }
}

/// The orientation of the main picture of an AVIF or HEIF file (ISO/IEC 23008-12, 6.5.10 and 6.5.12): its properties
/// `irot` and `imir`.
struct HEIFOrientation {
    let read: (_ offset: Int64, _ count: Int) -> [UInt8]

    private static let maxBoxes = 256
    /// The boxes that describe pictures are smaller.
    private static let largestBox: Int64 = 1 << 20

    func find() -> Orientation? {
        var offset: Int64 = 0
        for _ in 0..<Self.maxBoxes {
            let head = read(offset, 8)
            guard head.count == 8 else { return nil }
            let length = head[..<4].reduce(0) { $0 << 8 | Int64($1) }
            if head[4...].elementsEqual("meta".utf8), length <= Self.largestBox {
                return find(in: read(offset + 8, Int(length) - 8)[...].dropFirst(4))
            }
            guard length >= 8 else { return nil }
            offset += length
        }
        return nil
    }

    private func find(in meta: ArraySlice<UInt8>) -> Orientation? {
        let boxes = self.boxes(in: meta)
        guard let main = boxes["pitm"]?.first, main.count >= 6, let properties = boxes["iprp"]?.first else {
            return nil
        }
        let item = number(main.dropFirst(4).prefix(main.first == 0 ? 2 : 4))
        let parts = self.boxes(in: properties)
        guard let container = parts["ipco"]?.first else { return nil }
        let all = list(in: container)
        for association in parts["ipma"] ?? [] {
            let indices = self.indices(of: item, in: association)
            if indices.isEmpty { continue }
            let chosen = indices.compactMap { all.indices.contains($0 - 1) ? all[$0 - 1] : nil }
            return orientation(chosen)
        }
        return nil
    }

    /// First it is turned, then mirrored.
    private func orientation(_ properties: [(name: String, body: ArraySlice<UInt8>)]) -> Orientation? {
        let turn = properties.first { $0.name == "irot" }?.body.first.map { Int($0 & 3) * 90 }
        let mirror = properties.first { $0.name == "imir" }?.body.first.map { $0 & 1 }
        guard turn != nil || mirror != nil else { return nil }
        // Counterclockwise in the file.
        let degrees = (360 - (turn ?? 0)) % 360
        guard let mirror else { return Orientation(degrees: degrees) }
        // 0 exchanges top and bottom, 1 left and right.
        return Orientation(isMirrored: true, degrees: ((mirror == 0 ? 180 : 360) - degrees + 360) % 360)
    }

    /// The numbers of the properties of `item`, from 1 on, in order (ISO/IEC 23008-12, 9.3).
    private func indices(of item: Int, in box: ArraySlice<UInt8>) -> [Int] {
        guard box.count >= 8 else { return [] }
        let (version, isLong) = (box[box.startIndex], box[box.startIndex + 3] & 1 != 0)
        var rest = box.dropFirst(4)
        func take(_ count: Int) -> Int? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return number(rest.prefix(count))
        }
        for _ in 0..<min(take(4) ?? 0, Self.maxBoxes) {
            guard let id = take(version == 0 ? 2 : 4), let count = take(1) else { return [] }
            // The highest bit says whether the property is essential.
            let indices = (0..<count).compactMap { _ in take(isLong ? 2 : 1).map { $0 & (isLong ? 0x7FFF : 0x7F) } }
            if id == item { return indices }
        }
        return []
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private func boxes(in bytes: ArraySlice<UInt8>) -> [String: [ArraySlice<UInt8>]] {
        Dictionary(grouping: list(in: bytes), by: \.name).mapValues { $0.map(\.body) }
    }

    private func list(in bytes: ArraySlice<UInt8>) -> [(name: String, body: ArraySlice<UInt8>)] {
        var (rest, boxes): (ArraySlice<UInt8>, [(name: String, body: ArraySlice<UInt8>)]) = (bytes, [])
        while rest.count >= 8, boxes.count < Self.maxBoxes {
            let length = number(rest.prefix(4))
            guard length >= 8, length <= rest.count else { break }
            boxes.append(
                (String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self), rest.prefix(length).dropFirst(8)))
            rest = rest.dropFirst(length)
        }
        return boxes
    }
}

extension Orientation {
    /// From EXIF's number (CIPA DC-008, 4.6.4): 1 … 8; nil for others.
    init?(exif number: Int) {
        switch number {
        case 1: self.init()
        case 2: self.init(isMirrored: true)
        case 3: self.init(degrees: 180)
        case 4: self.init(isMirrored: true, degrees: 180)
        case 5: self.init(isMirrored: true, degrees: 270)
        case 6: self.init(degrees: 90)
        case 7: self.init(isMirrored: true, degrees: 90)
        case 8: self.init(degrees: 270)
        default: return nil
        }
    }
}
