import Feeds
import Foundation
import TestSupport
import Testing

@testable import App

/// The home feed's sources that `flick add` keeps.
@Suite struct SourceListTests {
    private static func list(_ text: String) -> SourceList {
        SourceList(text, ConfigPaths(folder: "/etc/flick", home: "/home/me"))
    }

    @Test func aLineLeadsWhereItWouldInTheConfiguration() {
        let text = "~/Videos/\n  weight = 2\nVideos\n./a//b\n~\n/home/me/Videos\nhttps://example.org/~/a\n"
        var list = Self.list(text)
        #expect(
            list.sources.map(\.text) == [
                "/home/me/Videos", "/etc/flick/Videos", "/etc/flick/a/b", "/home/me", "https://example.org/~/a",
            ])
        let added = list.add([FeedSource("/home/me/Videos"), FeedSource("/etc/flick/Videos")])
        #expect(added == [false, false] && list.text == text)
        let isChanged = list.change("/home/me/Videos", name: nil, weight: 3)
        #expect(isChanged && list.text.hasPrefix("~/Videos/\n  weight = 3\nVideos\n"))
        // As it is listed, in each way it is written; or as it is written.
        let removed = [list.remove("/home/me/Videos"), list.remove("a/b"), list.remove("/home/me/Videos")]
        #expect(removed == [FeedSource("/home/me/Videos", weight: 3), FeedSource("/etc/flick/a/b"), nil])
        #expect(list.text == "Videos\n~\nhttps://example.org/~/a\n")
    }

    @Test func aMistypedKeyIsNoSource() {
        let text = "/clips\n  wieght = 2\n  name = Clips\ncolour=red\n./a=b\nhttps://example.org/?a=b\n"
        var list = Self.list("nam = x\n" + text)
        #expect(
            list.sources == [
                FeedSource("/clips", name: "Clips"), FeedSource("/etc/flick/a=b"),
                FeedSource("https://example.org/?a=b"),
            ])
        #expect(
            list.mistakes.map { $0.text(of: "s") } == [
                "s line 1: unknown key 'nam'; did you mean name?",
                "s line 3: unknown key 'wieght'; did you mean weight?",
                "s line 5: unknown key 'colour'; use name or weight, or ./ before a file of that name",
            ])
        _ = list.remove("/clips")
        #expect(list.text == "nam = x\n./a=b\nhttps://example.org/?a=b\n")
    }

    @Test func editingKeepsUnrelatedLines() {
        let text = "# Mine\n\n  https://example.org/a.xml \n/clips\n#/not\n"
        var list = Self.list(text)
        #expect(list.text == text && list.sources == [FeedSource("https://example.org/a.xml"), FeedSource("/clips")])
        let added = list.add([FeedSource("/more"), FeedSource("/more"), FeedSource("/clips")])
        #expect(added == [true, false, false])
        #expect(list.text == text + "/more\n")
        let removed = [list.remove("https://example.org/a.xml"), list.remove("/not")]
        #expect(removed == [FeedSource("https://example.org/a.xml"), nil])
        #expect(list.text == "# Mine\n\n/clips\n#/not\n/more\n")
    }

    @Test func namesAndWeightsStandBelowTheirSource() {
        let text = """
            # Mine
            https://example.org/a.xml
              name = The = first
            \tweight=0.5
            # a remark
            /clips weight=3
            name = Clips
            name=
            weight = 20
              weight = nan
            https://example.org/a.xml
              name = Again

            """
        var list = Self.list("weight = 2\n" + text)
        #expect(
            list.sources == [
                FeedSource("https://example.org/a.xml", name: "The = first", weight: 0.5),
                FeedSource("/clips weight=3", name: "Clips"),
            ])
        #expect(
            list.mistakes.map { $0.text(of: "s") } == [
                "s line 1: this line belongs to no source; put it below the line of a source",
                "s line 9: the name cannot be used; expected 1 to 100 printable characters",
                "s line 10: the weight is 20; expected a number from 0.1 to 10",
                "s line 11: the weight is nan; expected a number from 0.1 to 10",
            ])
        _ = list.remove("https://example.org/a.xml")
        #expect(
            list.text
                == "weight = 2\n# Mine\n# a remark\n/clips weight=3\nname = Clips\nname=\nweight = 20\n  weight = nan\n"
        )
    }

    @Test func changeLeavesWhatItDoesNotName() {
        var list = Self.list("/clips\n  name = Clips\n  weight = 3\n/more\n")
        let isNamed = list.change("/clips", name: "Mine", weight: nil)
        #expect(isNamed && list.sources == [FeedSource("/clips", name: "Mine", weight: 3), FeedSource("/more")])
        let isWeighted = list.change("/clips", name: nil, weight: 0.5)
        #expect(isWeighted && list.sources == [FeedSource("/clips", name: "Mine", weight: 0.5), FeedSource("/more")])
        let isChanged = [
            list.change("/clips", name: nil, weight: nil), list.change("/clips", name: "Mine", weight: 0.5),
            list.change("/none", name: "None", weight: nil),
        ]
        #expect(isChanged == [false, false, false])
    }

    @Test func writtenSourcesAreReadBack() {
        var list = Self.list("")
        let sources = [
            FeedSource("/a", name: "A", weight: 3), FeedSource("/b"), FeedSource("/c", weight: 0.1),
            FeedSource("/d", name: "name = weight = 2"),
        ]
        let added = list.add(sources)
        #expect(added == [true, true, true, true])
        #expect(Self.list(list.text).sources == sources && list.mistakes.isEmpty)
        #expect(list.text.hasPrefix("/a\n  name = A\n  weight = 3\n/b\n/c\n  weight = 0.1\n"))
        let changed = [
            list.change("/a", name: nil, weight: 1), list.change("/b", name: "B", weight: nil),
            list.change("/b", name: "B", weight: nil), list.change("/none", name: "x", weight: nil),
        ]
        #expect(changed == [true, true, false, false])
        #expect(list.text.hasPrefix("/a\n  name = A\n/b\n  name = B\n/c\n"))
    }

    @Test func linesEndAsTheyMay() {
        #expect(Self.list("/a\r\n/b").sources.map(\.text) == ["/a", "/b"])
        #expect(Self.list("/a\n/a\n").sources.map(\.text) == ["/a"])
        #expect(Self.list("").sources.isEmpty && Self.list("").text.isEmpty)
        // A last line without its break gets one.
        #expect(Self.list("/a").text == "/a\n")
    }

    @Test func aSourceMeansTheSameFromAnyFolder() {
        let here = FileManager.default.currentDirectoryPath
        func kept(_ argument: String, exists: Bool) -> String? { SourceList.kept(argument, exists: { _ in exists }) }
        #expect(kept("clips", exists: true) == here + "/clips" && kept("/clips", exists: true) == "/clips")
        #expect(kept("https://example.org/f", exists: false) == "https://example.org/f")
        #expect(kept("clips", exists: false) == nil && kept("-", exists: true) == nil && kept("", exists: true) == nil)
        #expect(kept("/a\nb", exists: true) == "file:///a%0Ab")
        #expect(kept("/ends in a blank ", exists: true) == "file:///ends%20in%20a%20blank%20")
        #expect(kept("https://example.org/\n#", exists: false) == nil)
        #expect(kept("name=x:y", exists: false) == nil)
    }

    @Test func theFileIsMadeAndReplacedAsAWhole() throws {
        let folder = TemporaryFolder()
        let file = try #require(SourceFile(beside: folder.path + "/deep/er/c.toml"))
        #expect(try file.read().sources.isEmpty)
        try file.change { list throws(AppError) in _ = list.add([FeedSource("/a")]) }
        #expect(file.path.hasSuffix("/c.toml.sources") && file.path.hasPrefix(folder.path))
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "/a\n")
        var facts = stat()
        #expect(stat(file.path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        #expect(throws: AppError.self) {
            try file.change { list throws(AppError) in
                _ = list.add([FeedSource("/b")])
                throw AppError("no")
            }
        }
        #expect(try file.read().sources.map(\.text) == ["/a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/deep/er") == ["c.toml.sources"])
    }

    @Test func aLinkedFileStaysALink() throws {
        let folder = TemporaryFolder()
        let real = try folder.write("dotfiles/sources", "/a\n".utf8)
        #expect(symlink(real, folder.path + "/c.toml.sources") == 0)
        let file = try #require(SourceFile(beside: folder.path + "/c.toml"))
        try file.change { list throws(AppError) in _ = list.add([FeedSource("/b")]) }
        #expect(try String(contentsOfFile: real, encoding: .utf8) == "/a\n/b\n")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == real)
    }

    @Test func severalAtOnceLoseNothing() async throws {
        let folder = TemporaryFolder()
        let config = folder.path + "/c.toml"
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 { group.addTask { await onThread { Self.add("/\(number)", config) } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: true, count: 20))
        #expect(
            Set(try #require(SourceFile(beside: config)).read().sources.map(\.text)) == Set((0..<20).map { "/\($0)" }))
    }

    private static func add(_ source: String, _ config: String) -> Bool {
        do throws(AppError) {
            return try SourceFile(beside: config)?.change { list throws(AppError) in list.add([FeedSource(source)])[0] }
                ?? false
        } catch {
            return false
        }
    }

    @Test func nonTextSourceFileIsAWarning() throws {
        let folder = TemporaryFolder()
        try folder.write("c.toml.sources", [0xFF, 0xFE])
        let setup = try Setup(
            config: folder.write("c.toml", "home.sources=['/a']".utf8), cacheFolder: nil, keepsCache: false)
        #expect(
            setup.homeSources.map(\.text) == ["/a"] && setup.warnings.count == 1 && setup.warnings[0].contains("UTF-8"))
        try folder.write("c.toml.sources", "/b\n/a\n".utf8)
        let mended = try Setup(config: folder.path + "/c.toml", cacheFolder: nil, keepsCache: false)
        #expect(mended.homeSources.map(\.text) == ["/a", "/b"] && mended.warnings.isEmpty)
    }
}
