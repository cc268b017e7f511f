/// The part of a file that a request wants (RFC 9110, 14). Pure.
enum ByteRangeHeader: Equatable {
    /// All of it: no range, one that is malformed, several, or a unit other than bytes.
    case whole
    case part(Range<Int64>)
    /// 416: nothing of it is there.
    case unsatisfiable

    /// - Parameter text: the field's value; nil without one.
    init(_ text: String?, size: Int64) {
        guard let text, let equals = text.firstIndex(of: "="), text[..<equals].lowercased() == "bytes" else {
            self = .whole
            return
        }
        // A list may have empty elements, and blanks around its commas (5.6.1).
        let elements = text[text.index(after: equals)...].split(separator: ",").map(\.withoutBlanks).filter {
            !$0.isEmpty
        }
        var parts: [Range<Int64>] = []
        for element in elements {
            switch Self.one(element, size: size) {
            case .part(let part): parts.append(part)
            case .unsatisfiable: continue
            case .whole:
                // 14.2 allows a server to ignore what is malformed.
                self = .whole
                return
            }
        }
        switch parts.count {
        case 0: self = elements.isEmpty ? .whole : .unsatisfiable
        case 1: self = .part(parts[0])
        // 14.2 allows a server to ignore several.
        default: self = .whole
        }
    }

    /// One range of the list; `whole` if it is malformed.
    private static func one(_ text: Substring, size: Int64) -> ByteRangeHeader {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            !(ends[0].isEmpty && ends[1].isEmpty)
        else { return .whole }
        // More digits than fit mean more than any file has (14.1.2).
        func number(_ digits: Substring) -> Int64 { Int64(digits) ?? .max }
        if ends[0].isEmpty {
            let count = min(number(ends[1]), size)
            return count > 0 ? .part(size - count..<size) : .unsatisfiable
        }
        let first = number(ends[0])
        let last = ends[1].isEmpty ? Int64.max : number(ends[1])
        guard first <= last else { return .whole }
        return first < size ? .part(first..<(min(last, size - 1) + 1)) : .unsatisfiable
    }
}

extension Substring {
    /// Without the blanks of RFC 9110 (5.6.3) at both ends.
    fileprivate var withoutBlanks: Substring {
        var rest = self
        while rest.utf8.first == 0x20 || rest.utf8.first == 0x09 { rest.removeFirst() }
        while rest.utf8.last == 0x20 || rest.utf8.last == 0x09 { rest.removeLast() }
        return rest
    }
}
