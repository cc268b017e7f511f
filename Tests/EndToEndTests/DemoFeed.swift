import Foundation
import Model
import TestSupport

/// The demo feed, read from its manifest and clips without flick's help.
struct DemoFeed {
    struct Item: Decodable {
        struct Stats: Decodable {
            var likes: Int
        }
        var id: String
        var url: String
        var title: String
        var description: String
        var stats: Stats
    }
    private struct Manifest: Decodable {
        var title: String
        var items: [Item]
    }

    static let path = FlickBinary.demo + "/feed.json"

    let title: String
    let items: [Item]
    /// What each item looks like on a page 5 units wide and 3 high, twice a second.
    private let looks: [[PageLook]]

    /// Read and decoded once for all tests.
    static let shared = Result { try DemoFeed() }

    private init() throws {
        let manifest = try JSONDecoder().decode(
            Manifest.self, from: Data(contentsOf: URL(fileURLWithPath: Self.path)))
        (title, items) = (manifest.title, manifest.items)
        looks = try items.map { try PageLook.all(of: FlickBinary.demo + "/" + $0.url) }
    }

    /// The index of the item whose picture is on the screen: the most similar one. nil if none is similar.
    func seen(on screen: CapturedScreen) -> Int? {
        let look = PageLook(screen)
        let distances = looks.map { item in item.map { $0.distance(to: look) }.min() ?? .infinity }
        guard let least = distances.min(), least < 20 else { return nil }
        return distances.firstIndex(of: least)
    }
}

/// The mean colours of a grid over the part of a page without text.
struct PageLook {
    private static let (columns, rows) = (6, 5)
    /// In fractions of the page: left of the buttons, below the top row, above the caption.
    private static let (left, right, top, bottom) = (0.0, 0.6, 0.1, 0.5)

    /// Red, green, blue, 0…255, of each field.
    private var fields: [Double] = []

    private init(fields: [Double]) { self.fields = fields }

    init(_ screen: CapturedScreen) {
        let size = screen.size
        let (width, height) = (
            (Self.right - Self.left) / Double(Self.columns), (Self.bottom - Self.top) / Double(Self.rows)
        )
        for row in 0..<Self.rows {
            for column in 0..<Self.columns {
                let (x, y) = (Self.left + Double(column) * width, Self.top + Double(row) * height)
                let (first, last) = (Int(x * Double(size.columns)), Int((x + width) * Double(size.columns)))
                let (upper, lower) = (Int(y * Double(size.rows)), Int((y + height) * Double(size.rows)))
                let mean = screen.meanColor(
                    of: GridRect(column: first, row: upper, columns: max(last - first, 1), rows: max(lower - upper, 1)))
                fields += [Double(mean.red), Double(mean.green), Double(mean.blue)]
            }
        }
    }

    /// The root mean square of the differences to `other`.
    func distance(to other: PageLook) -> Double {
        let sum = zip(fields, other.fields).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        return (sum / Double(fields.count)).squareRoot()
    }

    /// Twice a second of a clip that fills a page of 5:3, which is the shape of 80×24, 200×60 and 40×12 cells of 1:2.
    static func all(of clip: String) throws -> [PageLook] {
        let (width, height) = (100, 60)
        let filter = [
            "fps=2", "scale=iw*sar:ih", "setsar=1",
            "scale=\(width):\(height):force_original_aspect_ratio=increase:flags=area", "crop=\(width):\(height)",
            "crop=\(Int(Double(width) * (right - left))):\(Int(Double(height) * (bottom - top)))"
                + ":\(Int(Double(width) * left)):\(Int(Double(height) * top))",
            "scale=\(columns):\(rows):flags=area",
        ].joined(separator: ",")
        let folder = TemporaryFolder()
        let result = try Command.run(
            ["ffmpeg", "-v", "error", "-nostdin", "-i", clip, "-vf", filter, "-f", "rawvideo", "-pix_fmt", "rgb24"]
                + [folder.path + "/pictures"])
        guard result.status == 0 else { throw Error(description: "ffmpeg, \(clip): \(result.errors)") }
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/pictures")))
        let length = columns * rows * 3
        return stride(from: 0, to: bytes.count - length + 1, by: length).map { start in
            PageLook(fields: bytes[start..<start + length].map(Double.init))
        }
    }

    struct Error: Swift.Error, CustomStringConvertible {
        var description: String
    }
}
