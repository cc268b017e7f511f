import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// `.flickignore`.
@Suite struct IgnoreTests {
    /// Patterns, paths below the folder (with a slash at the end for a folder), and whether they are left out; nil if
    /// no pattern matches.
    private static let table: [(rules: String, verdicts: [(path: String, expected: Bool?)])] = [
        ("", [("a", nil)]),
        ("# a\n\n   \n\\#b\n", [("a", nil), ("# a", nil), ("#b", true), ("   ", nil)]),
        ("a.mp4", [("a.mp4", true), ("deep/er/a.mp4", true), ("aXmp4", nil), ("a.mp4.mkv", nil), ("xa.mp4", nil)]),
        ("*.mp4", [("a.mp4", true), ("b/a.mp4", true), (".mp4", true), ("a.mp4/", true), ("amp4", nil)]),
        ("a*b*c", [("abc", true), ("aXbYbZc", true), ("ac", nil), ("abcd", nil), ("a/b/c", nil)]),
        ("?.mp4", [("a.mp4", true), (".mp4", nil), ("ab.mp4", nil)]),
        ("trailer/", [("trailer/", true), ("trailer", nil), ("deep/trailer/", true)]),
        ("/a", [("a", true), ("b/a", nil), ("a/", true)]),
        ("a/b", [("a/b", true), ("c/a/b", nil), ("b", nil)]),
        ("/a/b/", [("a/b/", true), ("a/b", nil)]),
        ("**/a", [("a", true), ("b/a", true), ("b/c/a", true), ("b/ca", nil)]),
        ("a/**", [("a/b", true), ("a/b/c", true), ("a/", nil), ("a", nil), ("b/a/c", nil)]),
        ("a/**/b", [("a/b", true), ("a/x/b", true), ("a/x/y/b", true), ("a/bb", nil), ("b", nil)]),
        ("a/**/b/**/c", [("a/b/c", true), ("a/x/b/y/z/c", true), ("a/b/b/c", true), ("a/c", nil)]),
        ("**/a/**/**/b", [("a/b", true), ("x/a/y/a/z/b", true), ("x/b", nil)]),
        ("**", [("a", true), ("a/b", true)]),
        ("/**", [("a", true), ("a/b", true)]),
        ("a**b", [("ab", true), ("axxb", true), ("a/b", nil)]),
        ("*/a", [("x/a", true), ("a", nil), ("x/y/a", nil)]),
        ("*\n!a*\nab", [("b", true), ("a", false), ("ab", true), ("aB", false)]),
        ("!\n!/\n/\n//", [("a", nil), ("!", nil), ("/", nil)]),
        ("\\!a", [("!a", true), ("a", nil)]),
        ("a ", [("a", true), ("a ", nil)]),
        ("a\\ ", [("a ", true), ("a", nil)]),
        ("a\\*", [("a*", true), ("ab", nil)]),
        ("a\\", [("a", nil), ("a\\", nil)]),
        ("[ab]c", [("ac", true), ("bc", true), ("cc", nil), ("c", nil)]),
        ("[a-cx]", [("b", true), ("x", true), ("d", nil), ("-", nil)]),
        ("[!a-c]", [("d", true), ("b", nil)]),
        ("[]a]", [("]", true), ("a", true), ("b", nil)]),
        ("[a-]", [("-", true), ("a", true), ("b", nil)]),
        ("[ab", [("a", nil), ("[ab", nil)]),
        ("[\\]]", [("]", true), ("\\", nil)]),
        ("A", [("A", true), ("a", nil)]),
        ("a\r\nb\r", [("a", true), ("b", true)]),
        ("\u{FEFF}a", [("a", true)]),
    ]

    @Test func patternsMatchAsTheTableSays() {
        for (rules, verdicts) in Self.table {
            let parsed = IgnoreRules(Array(rules.utf8))
            for (path, expected) in verdicts {
                let isFolder = path.hasSuffix("/")
                let bytes = Array(path.utf8)[..<(path.utf8.count - (isFolder ? 1 : 0))]
                #expect(
                    parsed.verdict(on: bytes, isFolder: isFolder) == expected, "\(rules.debugDescription) on \(path)")
            }
        }
    }

    /// The same table, as git has it.
    @Test func gitSaysTheSame() throws {
        let folder = TemporaryFolder()
        try #require(try Command.run(["git", "init", "-q", folder.path]).status == 0)
        // Where a carriage return is no end of a line for git, and "//" is no path.
        for (rules, verdicts) in Self.table where !rules.contains("\r") {
            try folder.write(".gitignore", rules.utf8)
            for (path, expected) in verdicts where path != "/" && !path.contains(where: { $0 == "\\" }) {
                // Whether it is a folder is looked up.
                _ = try path.hasSuffix("/") ? folder.folder(path) : folder.write(path)
                let bare = path.hasSuffix("/") ? String(path.dropLast()) : path
                let top = path.split(separator: "/")[0]
                defer {
                    #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: "\(folder.path)/\(top)") }
                }
                // With -v git prints the last pattern that matches, also a negated one; "::" means no match.
                let result = try Command.run(["git", "-C", folder.path, "check-ignore", "-v", "-n", "--no-index", bare])
                let source = result.output.split(separator: "\t").first.map(String.init) ?? ""
                let pattern = source.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).last ?? ""
                let verdict: Bool? = pattern.isEmpty ? nil : !pattern.hasPrefix("!")
                // git also reports files within an excluded folder: flick never enters it.
                let parents = path.split(separator: "/").dropLast().indices.map { end in
                    path.split(separator: "/")[...end].joined(separator: "/")
                }
                let parsed = IgnoreRules(Array(rules.utf8))
                guard !parents.contains(where: { parsed.verdict(on: Array($0.utf8)[...], isFolder: true) == true })
                else {
                    continue
                }
                #expect(verdict == expected, "git on \(rules.debugDescription) and \(path): \(result.output)")
            }
        }
    }

    @Test func aQuestionMarkIsACharacter() {
        let rules = IgnoreRules(Array("?.mp4\n[!a].mkv".utf8))
        #expect(rules.verdict(on: Array("é.mp4".utf8)[...], isFolder: false) == true)
        #expect(rules.verdict(on: Array("🌅.mkv".utf8)[...], isFolder: false) == true)
        #expect(rules.verdict(on: Array("a.mkv".utf8)[...], isFolder: false) == nil)
    }

    @Test(.timeLimit(.minutes(1))) func patternsThatTryEverythingAreQuick() {
        let stars = String(repeating: "a*", count: 400) + "b"
        let deep = String(repeating: "**/a/", count: 190) + "b"
        let rules = IgnoreRules(Array("\(stars)\n\(deep)".utf8))
        #expect(rules.count == 2)
        let start = ContinuousClock.now
        #expect(rules.verdict(on: ArraySlice(repeatElement(UInt8(ascii: "a"), count: 255)), isFolder: false) == nil)
        let path = Array(String(repeating: "a/", count: 2_000).utf8.dropLast())
        #expect(rules.verdict(on: path[...], isFolder: false) == nil)
        #expect(ContinuousClock.now - start < .seconds(2))
    }

    @Test func patternsHaveLimits() {
        let many = IgnoreRules(Array(repeatElement("x\n", count: 5_000).joined().utf8))
        #expect(many.count == IgnoreRules.most)
        #expect(IgnoreRules(Array(repeatElement(UInt8(ascii: "x"), count: 1_001))).count == 0)
    }

    // MARK: In folders

    private let folder = TemporaryFolder()

    private func names() throws -> [String] {
        let items = try loadFeed(sources: [folder.path]).items
        return (0..<items.count).map { String(items[$0].url.dropFirst("file://\(folder.path)/".utf8.count)) }
    }

    @Test func ignoreRulesApplyBelowTheirFolder() throws {
        for name in ["a.mp4", "b.mkv", "x/a.mp4", "x/b.mkv", "x/y/c.mkv", "x/y/keep.mp4", "z/c.mkv", "out/in.mp4"] {
            try folder.write(name)
        }
        try folder.write(".flickignore", "*.mp4\nout/\n/z/c.mkv\n".utf8)
        try folder.write("x/.flickignore", "!keep.mp4\n/b.mkv\n".utf8)
        // It is below a folder that is left out.
        try folder.write("out/.flickignore", "!*\n".utf8)
        #expect(try names() == ["b.mkv", "x/y/c.mkv", "x/y/keep.mp4"])
        try folder.write("x/y/.flickignore", "*.mkv\n".utf8)
        #expect(try names() == ["b.mkv", "x/y/keep.mp4"])
    }

    @Test func sidecarsCanBeLeftOut() throws {
        try folder.write("a.mp4")
        try folder.write("a.jpg")
        try folder.write("a.json", #"{"title": "named"}"#.utf8)
        try folder.write(".flickignore", "*.jpg\n*.json\n".utf8)
        let item = try loadFeed(sources: [folder.path]).items[0]
        #expect(item.thumbnail == nil && item.title == "a")
    }

    @Test func unusableIgnoreFilesAreReported() throws {
        try folder.write("a.mp4")
        try folder.write(".flickignore", repeatElement(UInt8(ascii: "\n"), count: IgnoreRules.sizeLimit + 1))
        try folder.write("x/.flickignore", "a.mp4".utf8)
        try folder.write("x/a.mp4")
        let feed = try loadFeed(sources: [folder.path])
        #expect(feed.items.count == 1 && feed.warnings.count == 1)
        #expect(
            feed.warnings.first?.contains("/.flickignore' is ignored: it is larger than 64 KB") == true,
            "\(feed.warnings)")
        // A link may lead to anyone's file.
        try FileManager.default.removeItem(atPath: folder.path + "/x/.flickignore")
        try folder.write("rules", "a.mp4".utf8)
        try folder.link("x/.flickignore", to: "../rules")
        #expect(try names() == ["a.mp4", "x/a.mp4"])
    }

    @Test func rulesOfManyFoldersHaveALimit() throws {
        let rules = String(repeating: "nothing\n", count: 900)
        for path in ["", "1/", "1/2/"] { try folder.write(path + ".flickignore", (rules + "a.mp4\n").utf8) }
        for path in ["", "1/", "1/2/"] { try folder.write(path + "b.mp4") }
        try folder.write("1/2/.flickignore", (rules + "b.mp4\n").utf8)
        let feed = try loadFeed(sources: [folder.path])
        #expect(feed.items.count == 3 && feed.warnings.count == 1)
    }
}
