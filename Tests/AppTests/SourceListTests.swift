import Foundation
import TestSupport
import Testing

@testable import App

/// The home feed's sources that `flick add` keeps.
@Suite struct SourceListTests {
    @Test func whatPeopleWroteStays() {
        let text = "# Mine\n\n  https://example.org/a.xml \n/clips\n#/not\n"
        var list = SourceList(text)
        #expect(list.text == text && list.sources == ["https://example.org/a.xml", "/clips"])
        #expect(list.add("/more") && !list.add("/more") && !list.add("/clips"))
        #expect(list.text == text + "/more\n")
        #expect(list.remove("https://example.org/a.xml") && !list.remove("/not"))
        #expect(list.text == "# Mine\n\n/clips\n#/not\n/more\n")
    }

    @Test func linesEndAsTheyMay() {
        #expect(SourceList("/a\r\n/b").sources == ["/a", "/b"])
        #expect(SourceList("/a\n/a\n").sources == ["/a"])
        #expect(SourceList("").sources.isEmpty && SourceList("").text.isEmpty)
        // A last line without its break gets one.
        #expect(SourceList("/a").text == "/a\n")
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
    }

    @Test func theFileIsMadeAndReplacedAsAWhole() throws {
        let folder = TemporaryFolder()
        let file = try #require(SourceFile(beside: folder.path + "/deep/er/c.toml"))
        #expect(try file.read().sources.isEmpty)
        try file.change { list throws(AppError) in _ = list.add("/a") }
        #expect(file.path.hasSuffix("/c.toml.sources") && file.path.hasPrefix(folder.path))
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == "/a\n")
        var facts = stat()
        #expect(stat(file.path, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        #expect(throws: AppError.self) {
            try file.change { list throws(AppError) in
                _ = list.add("/b")
                throw AppError("no")
            }
        }
        #expect(try file.read().sources == ["/a"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/deep/er") == ["c.toml.sources"])
    }

    @Test func aLinkedFileStaysALink() throws {
        let folder = TemporaryFolder()
        let real = try folder.write("dotfiles/sources", "/a\n".utf8)
        #expect(symlink(real, folder.path + "/c.toml.sources") == 0)
        let file = try #require(SourceFile(beside: folder.path + "/c.toml"))
        try file.change { list throws(AppError) in _ = list.add("/b") }
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
        #expect(Set(try #require(SourceFile(beside: config)).read().sources) == Set((0..<20).map { "/\($0)" }))
    }

    private static func add(_ source: String, _ config: String) -> Bool {
        do throws(AppError) {
            return try SourceFile(beside: config)?.change { list throws(AppError) in list.add(source) } ?? false
        } catch {
            return false
        }
    }

    @Test func whatIsNoTextIsToldOf() throws {
        let folder = TemporaryFolder()
        try folder.write("c.toml.sources", [0xFF, 0xFE])
        let setup = try Setup(
            config: folder.write("c.toml", "home.sources=['/a']".utf8), cacheFolder: nil, keepsCache: false)
        #expect(setup.homeSources == ["/a"] && setup.warnings.count == 1 && setup.warnings[0].contains("UTF-8"))
        try folder.write("c.toml.sources", "/b\n/a\n".utf8)
        let mended = try Setup(config: folder.path + "/c.toml", cacheFolder: nil, keepsCache: false)
        #expect(mended.homeSources == ["/a", "/b"] && mended.warnings.isEmpty)
    }
}
