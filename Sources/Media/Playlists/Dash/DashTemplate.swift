/// The URL template of segments, with placeholders (ISO 23009-1, 5.3.9.4.4). Pure; the text is not trusted.
struct DashTemplate {
    private enum Part {
        case text(String)
        case number(width: Int)
        case time(width: Int)
    }

    /// The most digits that a number is padded to.
    private static let widest = 32
    private static let maxParts = 256

    private var parts: [Part] = []

    /// Fills in the placeholders that are the same for all segments. Unknown placeholders stay unchanged.
    init(_ text: String, id: String, bandwidth: Int64) {
        let pieces = text.split(separator: "$", maxSplits: DashTemplate.maxParts, omittingEmptySubsequences: false)
        for (index, piece) in pieces.enumerated() {
            // Every second piece is between two dollars, unless the last dollar has no partner.
            guard index % 2 == 1, index < pieces.count - 1 else {
                parts.append(.text(index % 2 == 1 ? "$" + piece : String(piece)))
                continue
            }
            let names = piece.split(separator: "%", maxSplits: 1)
            let width = names.count > 1 ? DashTemplate.width(names[1]) : 1
            switch (names.first, width) {
            case (nil, _): parts.append(.text("$"))
            case ("RepresentationID", 1): parts.append(.text(id))
            case ("Number", let width?): parts.append(.number(width: width))
            case ("Time", let width?): parts.append(.time(width: width))
            case ("Bandwidth", let width?): parts.append(.text(DashTemplate.filled(bandwidth, width)))
            default: parts.append(.text("$\(piece)$"))
            }
        }
    }

    /// The width in a format such as `05d`: 5.
    private static func width(_ format: Substring) -> Int? {
        guard format.first == "0", format.last == "d" else { return nil }
        return PlaylistText.number(format.dropLast().utf8).map { min(Int(clamping: $0), widest) }
    }

    private static func filled(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    func address(number: Int64, time: Int64) -> String {
        parts.reduce(into: "") { address, part in
            switch part {
            case .text(let text): address += text
            case .number(let width): address += DashTemplate.filled(number, width)
            case .time(let width): address += DashTemplate.filled(time, width)
            }
        }
    }
}
