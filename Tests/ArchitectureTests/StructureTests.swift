import Foundation
import Testing

/// Folders of a target are layers: what one of them uses of another, that one does not use of it. Files directly in a
/// target's folder bind the layers together and may use all.
@Suite struct StructureTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

    /// A Swift file: the names it declares at its top level, and all capitalized names that it has.
    private struct File {
        var target: String
        /// Empty for files directly in the target's folder.
        var folder: String
        var name: String
        var lines: Int
        var declared: [String]
        var used: Set<String>
    }

    private static func files() throws -> [File] {
        let walker = try #require(FileManager.default.enumerator(atPath: sources.path))
        return try walker.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { name in
            let text = try String(contentsOf: sources.appendingPathComponent(name), encoding: .utf8)
            let parts = name.split(separator: "/").map(String.init)
            return File(
                target: parts[0], folder: parts.count > 2 ? parts[1] : "", name: name,
                lines: text.utf8.count { $0 == UInt8(ascii: "\n") }, declared: declared(in: text),
                used: names(in: Array(text.utf8)))
        }
    }

    private static func declared(in text: String) -> [String] {
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
        return text.split(separator: "\n").compactMap { line in
            guard let first = line.first, first != " ", first != "/" else { return nil }
            let words = line.split { $0 == " " || $0 == ":" || $0 == "<" || $0 == "{" }
            guard let place = words.firstIndex(where: kinds.contains), place + 1 < words.count,
                words[..<place].allSatisfy({ $0.hasPrefix("@") || $0.allSatisfy(\.isLowercase) }),
                // Other files cannot mean those.
                !words[..<place].contains("private"), !words[..<place].contains("fileprivate")
            else { return nil }
            return String(words[place + 1])
        }
    }

    /// The capitalized names outside comments and texts.
    static func names(in bytes: [UInt8]) -> Set<String> {
        var names: Set<String> = []
        var index = 0
        func at(_ place: Int, _ text: StaticString) -> Bool {
            place + text.utf8CodeUnitCount <= bytes.count
                && (0..<text.utf8CodeUnitCount).allSatisfy { bytes[place + $0] == text.utf8Start[$0] }
        }
        func skip(to end: StaticString) {
            while index < bytes.count, !at(index, end) { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
            index += end.utf8CodeUnitCount
        }
        while index < bytes.count {
            if at(index, "//") {
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            } else if at(index, "\"\"\"") {
                index += 3
                skip(to: "\"\"\"")
            } else if bytes[index] == UInt8(ascii: "\"") {
                index += 1
                skip(to: "\"")
            } else if isLetter(bytes[index]) {
                let start = index
                while index < bytes.count, isLetter(bytes[index]) { index += 1 }
                if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[start]) {
                    names.insert(String(decoding: bytes[start..<index], as: UTF8.self))
                }
            } else {
                index += 1
            }
        }
        return names
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    @Test func foldersUseEachOtherOneWay() throws {
        for (target, files) in Dictionary(grouping: try Self.files(), by: \.target) {
            var homes: [String: String] = [:]
            for file in files { for name in file.declared { homes[name] = file.folder } }
            // The uses of another folder: the first name of each file, to show where.
            var uses: [[String]: String] = [:]
            for file in files where !file.folder.isEmpty {
                for name in file.used.sorted() {
                    guard let home = homes[name], home != file.folder, !home.isEmpty else { continue }
                    uses[[file.folder, home]] = "\(file.name) uses \(name)"
                }
            }
            let pairs = uses.filter { pair, _ in pair[0] < pair[1] && uses[pair.reversed()] != nil }
            let words = pairs.map { pair, use in "\(use), and \(uses[pair.reversed()] ?? "")" }.sorted()
            #expect(pairs.isEmpty, "\(target) has folders that use each other: \(words.joined(separator: "; "))")
        }
    }

    /// The page is made of values that are tested by themselves (docs/architecture.md): what is new belongs to one.
    @Test func pageHasFewProperties() throws {
        let text = try String(contentsOf: Self.sources.appendingPathComponent("UI/State.swift"), encoding: .utf8)
        let properties = Self.storedProperties(of: "State", in: text)
        #expect(properties.count <= 19, "State has \(properties.count): \(properties.joined(separator: ", "))")
        #expect(properties.contains("options") && properties.contains("feed") && !properties.contains("items"))
    }

    /// Those of a struct that the file declares at its top level.
    private static func storedProperties(of type: String, in text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard
            let start = lines.firstIndex(where: { $0.contains("struct \(type):") || $0.contains("struct \(type) {") }),
            let end = lines[start...].firstIndex(of: "}")
        else { return [] }
        return (start..<end).compactMap { index in
            let line = lines[index]
            guard line.hasPrefix("    "), !line.hasPrefix("     ") else { return nil }
            let words = line.split { $0 == " " || $0 == ":" }
            guard let place = words.firstIndex(where: { $0 == "var" || $0 == "let" }), place + 1 < words.count,
                words[..<place].allSatisfy({ $0.hasPrefix("public") || $0.hasPrefix("private") || $0.contains("(set)") }
                )
            else { return nil }
            let isComputed = line.contains("{") && !lines[index + 1].contains("didSet") && !line.contains("= {")
            return isComputed ? nil : String(words[place + 1])
        }
    }

    /// Counts that are too high still. They may only shrink.
    @Test func countsOnlyShrink() throws {
        let files = try Self.files()
        let aspects = files.count { $0.name.contains("+") }
        let small = files.count { $0.lines <= 40 }
        #expect(aspects <= 16, "\(aspects) files Type+Aspect: turn the aspect into a separate type")
        #expect(small <= 55, "\(small) files of at most 40 lines: put an idea into one file")
    }

    /// A source of bytes opens URLs. What only a network can do are interfaces of those that want it.
    @Test func byteInterfaceIsSmall() throws {
        let file = Self.sources.appendingPathComponent("Bytes/Requests/ByteSource.swift")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("public protocol ByteProvider") })
        let requirements = lines[start...].prefix { $0 != "}" }.filter {
            $0.hasPrefix("    func ") || $0.hasPrefix("    var ")
        }
        #expect((1...3).contains(requirements.count), "ByteProvider has \(requirements.count) requirements")
    }

    /// The classes of the loop join what others own: none of them owns everything.
    @Test func loopOwnsLittle() throws {
        let folders = ["App/Browse/", "App/Output/"]
        let files = try Self.files().filter { file in folders.contains { file.name.hasPrefix($0) } }
        var counts: [String: Int] = [:]
        for file in files {
            let text = try String(contentsOf: Self.sources.appendingPathComponent(file.name), encoding: .utf8)
            counts.merge(Self.storedProperties(in: text)) { $0 + $1 }
        }
        #expect(counts["Browser"] != nil && counts["FrameOutput"] != nil)
        for (name, count) in counts { #expect(count <= 15, "\(name) has \(count) stored properties") }
    }

    /// How many stored properties each class at the top level of a text declares.
    private static func storedProperties(in text: String) -> [String: Int] {
        var counts: [String: Int] = [:]
        var current: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split { " :<(".contains($0) }.map(String.init)
            if line.first == "}" { current = nil }
            if line.first != " ", let place = words.firstIndex(of: "class"), line.first != "/" {
                current = words[place + 1]
                counts[words[place + 1]] = 0
            }
            let isMember = line.hasPrefix("    ") && !line.hasPrefix("     ")
            guard let current, isMember, let keyword = words.first(where: { $0 != "private" && $0 != "set)" }),
                keyword == "let" || keyword == "var",
                !line.contains("{") || line.contains("didSet")
                    || line.contains("= {") || line.hasSuffix("{ $0 }")
            else { continue }
            counts[current, default: 0] += 1
        }
        return counts
    }
}
