import Foundation

/// Reads a trace that flick wrote.
struct TraceReader {
    struct Line {
        var time: Double
        var event: String
        var fields: [String: Any]

        func number(_ key: String) -> Double? { (fields[key] as? NSNumber)?.doubleValue }
        func text(_ key: String) -> String? { fields[key] as? String }

        init(_ text: Data) throws {
            guard let object = try JSONSerialization.jsonObject(with: text) as? [String: Any],
                let time = (object["t"] as? NSNumber)?.doubleValue, let event = object["ev"] as? String
            else { throw CocoaError(.coderReadCorrupt) }
            (self.time, self.event, fields) = (time, event, object)
        }
    }

    var lines: [Line]

    init(path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        lines = try text.split(separator: "\n").map { try Line(Data($0.utf8)) }
    }

    func events(_ name: String) -> [Line] { lines.filter { $0.event == name } }
}
