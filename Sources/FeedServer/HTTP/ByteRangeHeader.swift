/// What part of a file a request wants (RFC 9110, 14). Pure.
enum ByteRangeHeader: Equatable {
    /// All of it: no range, one that cannot be read, several, or a unit other than bytes.
    case whole
    case part(Range<Int64>)
    /// 416: nothing of it is there.
    case unsatisfiable

    /// - Parameter text: the field's value; nil without one.
    init(_ text: String?, size: Int64) {
        guard let text, text.utf8.count <= 256, let equals = text.firstIndex(of: "="),
            text[..<equals].lowercased() == "bytes"
        else {
            self = .whole
            return
        }
        let set = text[text.index(after: equals)...]
        // Several ranges: 14.2 allows a server to ignore the field.
        guard !set.contains(",") else {
            self = .whole
            return
        }
        let ends = set.split(separator: "-", omittingEmptySubsequences: false).map {
            $0.filter { $0 != " " && $0 != "\t" }
        }
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            !(ends[0].isEmpty && ends[1].isEmpty)
        else {
            self = .whole
            return
        }
        // More digits than fit mean more than any file has.
        func number(_ digits: String) -> Int64 { Int64(digits) ?? .max }
        if ends[0].isEmpty {
            let count = min(number(ends[1]), size)
            self = count > 0 ? .part(size - count..<size) : .unsatisfiable
            return
        }
        let first = number(ends[0])
        let last = ends[1].isEmpty ? Int64.max : number(ends[1])
        guard first <= last else {
            self = .whole
            return
        }
        self = first < size ? .part(first..<(min(last, size - 1) + 1)) : .unsatisfiable
    }
}
