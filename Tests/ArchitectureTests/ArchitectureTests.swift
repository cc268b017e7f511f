import Foundation
import Testing

/// What docs/architecture.md says of targets, kept true by looking at the sources themselves.
@Suite struct ArchitectureTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Each foreign module and the only target that may import it.
    private static let importers = [
        "CFFmpeg": "Media", "CNcurses": "Screen", "CSDL2": "Audio", "CProcess": "Wire", "CKeyring": "App",
        "ArgumentParser": "flick",
        "Logging": "App", "AsyncHTTPClient": "HTTP", "NIOCore": "HTTP", "NIOHTTP1": "HTTP", "NIOSSL": "HTTP",
        "GRDB": "Cache", "Crypto": "Cache", "TOMLKit": "App",
    ]

    private struct SourceFile {
        var target: String
        var name: String
        var text: String

        var imports: [String] {
            text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
                    words[..<place].allSatisfy({
                        ["internal", "public", "private", "package", "@testable", "@preconcurrency"].contains($0)
                    })
                else { return nil }
                return words[place + 1].split(separator: ".").first.map(String.init)
            }
        }
    }

    private static func files() throws -> [SourceFile] {
        let sources = root.appendingPathComponent("Sources").path
        let walker = try #require(FileManager.default.enumerator(atPath: sources))
        return try walker.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map { name in
            SourceFile(
                target: String(name.prefix { $0 != "/" }), name: name,
                text: try String(contentsOfFile: sources + "/" + name, encoding: .utf8))
        }
    }

    /// The targets of Package.swift with the local targets they name.
    private static func arrows() throws -> [String: Set<String>] {
        let package = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let targets = Set(
            try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("Sources").path))
        var arrows: [String: Set<String>] = [:]
        for declaration in package.split(separator: "arget(").dropFirst() {
            let quoted = declaration.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            guard let name = quoted.first, targets.contains(name) else { continue }
            arrows[name] = targets.intersection(quoted.dropFirst())
        }
        return arrows
    }

    @Test func everyForeignModuleHasOneImporter() throws {
        for file in try Self.files() {
            for module in file.imports {
                guard let importer = Self.importers[module] else { continue }
                #expect(file.target == importer, "\(file.name) imports \(module), which is \(importer)'s")
            }
        }
    }

    @Test func importsFollowTheArrows() throws {
        let arrows = try Self.arrows()
        #expect(arrows["App"]?.contains("Feeds") == true)
        for file in try Self.files() {
            for module in file.imports where arrows[module] != nil {
                #expect(
                    arrows[file.target]?.contains(module) == true, "\(file.name) imports \(module) without an arrow")
            }
        }
    }

    @Test func filesAreOneIdeaEach() throws {
        for file in try Self.files() {
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
            #expect(lines <= 500, "\(file.name) has \(lines) lines")
            for word in ["Utils", "Helpers", "Manager"] {
                #expect(!file.name.contains(word), "\(file.name): name it after what it is")
            }
        }
    }

    @Test func theArchitecturePageNamesEveryTarget() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)
        for target in try Self.arrows().keys {
            #expect(page.contains("`\(target)`"), "docs/architecture.md lacks \(target)")
        }
    }
}
