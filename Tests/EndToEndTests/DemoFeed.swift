import Foundation
import Model
import TestSupport

/// The demo feed as its manifest and its clips tell, without flick's help.
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
        var items: [Item]
    }

    static let path = FlickBinary.demo + "/feed.json"

    let items: [Item]
    /// How each item looks on a page that is 5 wide and 3 high, twice a second.
    private let looks: [[PageLook]]

    /// Read and decoded once for all tests.
    static let shared = Result { try DemoFeed() }

    private init() throws {
        items = try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: URL(fileURLWithPath: Self.path))).items
        looks = try items.map { try PageLook.all(of: FlickBinary.demo + "/" + $0.url) }
    }

    /// The index of the item whose picture is on the screen: the one with the nearest look. nil if none is near.
    func seen(on screen: CapturedScreen) -> Int? {
        let look = PageLook(screen)
        let distances = looks.map { item in item.map { $0.distance(to: look) }.min() ?? .infinity }
        guard let least = distances.min(), least < 20 else { return nil }
        return distances.firstIndex(of: least)
    }
}

/// The mean colours of a grid over that part of a page where no text is.
struct PageLook {
    private static let (columns, rows) = (6, 5)
    /// In parts of the page: left of the buttons, below the top row, above the caption.
    private static let (left, right, top, bottom) = (0.0, 0.6, 0.1, 0.5)

    /// Red, green, blue, 0…255, of each field.
    private var fields: [Double] = []

    /// Looks at fields through `color`, the mean of a rectangle given in parts of the page.
    private init(color: (_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) -> RGB) {
        for row in 0..<Self.rows {
            for column in 0..<Self.columns {
                let (width, height) = (
                    (Self.right - Self.left) / Double(Self.columns), (Self.bottom - Self.top) / Double(Self.rows)
                )
                let (x, y) = (Self.left + Double(column) * width, Self.top + Double(row) * height)
                let mean = color(x, y, x + width, y + height)
                fields += [Double(mean.red), Double(mean.green), Double(mean.blue)]
            }
        }
    }

    init(_ screen: CapturedScreen) {
        let size = screen.size
        self.init { left, top, right, bottom in
            let (first, last) = (Int(left * Double(size.columns)), Int(right * Double(size.columns)))
            let (upper, lower) = (Int(top * Double(size.rows)), Int(bottom * Double(size.rows)))
            return screen.meanColor(
                of: GridRect(column: first, row: upper, columns: max(last - first, 1), rows: max(lower - upper, 1)))
        }
    }

    /// Root of the mean square of the differences.
    func distance(to other: PageLook) -> Double {
        let sum = zip(fields, other.fields).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        return (sum / Double(fields.count)).squareRoot()
    }

    /// Twice a second of a clip that fills a page of 5:3, which is what 80×24, 200×60 and 40×12 cells of 1:2 are.
    static func all(of clip: String) throws -> [PageLook] {
        let (width, height) = (100, 60)
        let filter =
            "fps=2,scale=iw*sar:ih,setsar=1,scale=\(width):\(height):force_original_aspect_ratio=increase,crop=\(width):\(height)"
        let folder = TemporaryFolder()
        let result = try Command.run(
            ["ffmpeg", "-v", "error", "-nostdin", "-i", clip, "-vf", filter, "-f", "rawvideo", "-pix_fmt", "rgb24"]
                + [folder.path + "/pictures"])
        guard result.status == 0 else { throw Failure(description: "ffmpeg, \(clip): \(result.errors)") }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/pictures"))
        return stride(from: 0, to: bytes.count - width * height * 3 + 1, by: width * height * 3).map { start in
            PageLook { left, top, right, bottom in
                var sums = (0, 0, 0)
                var count = 0
                for y in Int(top * Double(height))..<Int(bottom * Double(height)) {
                    for x in Int(left * Double(width))..<Int(right * Double(width)) {
                        let place = start + (y * width + x) * 3
                        sums.0 += Int(bytes[place])
                        sums.1 += Int(bytes[place + 1])
                        sums.2 += Int(bytes[place + 2])
                        count += 1
                    }
                }
                return RGB(UInt8(sums.0 / count), UInt8(sums.1 / count), UInt8(sums.2 / count))
            }
        }
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }
}
