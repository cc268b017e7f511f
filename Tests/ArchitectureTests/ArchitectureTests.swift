import Foundation
import Testing

/// The table of targets in docs/architecture.md lists what each may import. `Package.swift` and the sources are held to
/// it: what it does not list is refused.
@Suite struct ArchitectureTests {
    /// The modules that every target may import: Swift's own.
    private static let everywhere: Set = ["Synchronization", "Dispatch", "FoundationEssentials"]
    /// The C library, whose name depends on the system, and the targets that know it: others have it from Platform.
    private static let cLibrary: (names: Set<String>, importers: Set<String>) = (
        ["Glibc", "Darwin"], ["Platform", "Threads"]
    )
    /// Packages of Package.swift, and what is used of each.
    private static let packages = [
        "swift-argument-parser": ["ArgumentParser"], "swift-log": ["Logging"],
        "swift-nio": ["NIOCore", "NIOHTTP1", "NIOPosix"],
        "hummingbird": ["HummingbirdCore"], "swift-http-types": ["HTTPTypes"],
        "swift-nio-extras": ["NIOHTTPTypes", "NIOHTTPTypesHTTP1"],
    ]
    /// Modules with more than one importer, and why that is right: mostly because the server is a separate program.
    private static let shared = [
        "ArgumentParser": ["ServeArguments", "flick", "flick-server"], "Logging": ["App", "FeedServer"],
        // Pictures are compressed for the terminal, and texts from servers decompressed.
        "CCompression": ["HTTP", "TermGraphics"],
        // Eight C targets load their libraries in the same way.
        "CLoadedLibrary": ["CCharset", "CCompression", "CCurl", "CJPEG", "CPostgres", "CSDL2", "CTLS", "CXML"],
    ]
    /// Headers of libraries, by folder or name prefix, and the one C target that may include them.
    private static let headers = [
        "libav": "CFFmpeg", "libsw": "CFFmpeg", "SDL": "CSDL2", "ncurses": "CNcurses", "curses": "CNcurses",
        "term.h": "CNcurses", "panel": "CNcurses", "libpq": "CPostgres", "postgresql": "CPostgres",
        "turbojpeg": "CJPEG", "zlib": "CCompression", "brotli/": "CCompression", "zstd": "CCompression",
        "libxml": "CXML", "iconv": "CCharset", "openssl/": "CTLS",
        "uchardet": "CCharset", "curl/": "CCurl", "sodium": "CSodium", "sqlite3": "CSQLite", "toml": "CTOML",
    ]

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private struct SourceFile {
        var target: String
        var name: String
        var text: String

        /// The words after `word` where only attributes and access levels stand before it in the line.
        func words(after word: Substring) -> [String] {
            text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: word), place + 1 < words.count,
                    words[..<place].allSatisfy({
                        $0.hasPrefix("@") || ["internal", "public", "private", "fileprivate", "package"].contains($0)
                    })
                else { return nil }
                // "import struct Foundation.Date"
                let kinds = ["struct", "class", "enum", "func", "protocol", "typealias", "let", "var"]
                let name =
                    kinds.contains(String(words[place + 1])) ? words.dropFirst(place + 2).first : words[place + 1]
                return name?.split(separator: ".").first.map(String.init)
            }
        }

        var imports: [String] { words(after: "import") }
    }

    private static func files(in folder: String = "Sources", endings: [String] = [".swift"]) throws -> [SourceFile] {
        let sources = root.appendingPathComponent(folder).path
        let walker = try #require(FileManager.default.enumerator(atPath: sources))
        let names = walker.compactMap { $0 as? String }.filter { name in endings.contains { name.hasSuffix($0) } }
        #expect(names.count > 5)
        return try names.map { name in
            SourceFile(
                target: String(name.prefix { $0 != "/" }), name: name,
                text: try String(contentsOfFile: sources + "/" + name, encoding: .utf8))
        }
    }

    /// The table: of each target, what it may import.
    private static func allowed() throws -> [String: Set<String>] {
        let page = try String(contentsOf: root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)
        var allowed: [String: Set<String>] = [:]
        for line in page.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count == 5 else { continue }
            func names(_ cell: Substring) -> [String] {
                cell.split(separator: ",").map { $0.filter { !" `".contains($0) } }.filter { !$0.isEmpty }
            }
            for target in names(cells[1]) { allowed[target] = Set(names(cells[3])) }
        }
        return allowed
    }

    /// The targets below Sources that Package.swift declares, and what it says that they depend on.
    private static func declared() throws -> [String: Set<String>] {
        let package = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let list = package.prefix(
            package.range(of: "\n    swiftLanguageModes")?.lowerBound.utf16Offset(in: package) ?? 0)
        let targets = try Set(
            FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("Sources").path))
        var declared: [String: Set<String>] = [:]
        for text in list.split(separator: "\n        .").dropFirst() {
            func quoted(_ text: some StringProtocol) -> [String] {
                text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                    .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            }
            guard let name = quoted(text).first, targets.contains(name) else { continue }
            var names: Set<String> = []
            if let start = text.range(of: "dependencies: [")?.upperBound {
                // Up to the bracket that closes the list.
                var depth = 1
                let list = text[start...].prefix {
                    depth += $0 == "[" ? 1 : $0 == "]" ? -1 : 0
                    return depth > 0
                }
                let withoutPackages = list.split(separator: "package: ").enumerated().map { index, part in
                    index == 0 ? part : part.drop { $0 != ")" }
                }
                names = Set(quoted(withoutPackages.joined()))
            }
            declared[name] = names
        }
        return declared
    }

    @Test func packageAndTableHaveTheSameTargetsAndArrows() throws {
        let (allowed, declared) = (try Self.allowed(), try Self.declared())
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appendingPathComponent("Sources").path)
        #expect(Set(folders) == Set(declared.keys), "Package.swift does not declare what is in Sources")
        #expect(Set(allowed.keys) == Set(declared.keys), "docs/architecture.md and Package.swift list other targets")
        for (target, names) in declared {
            #expect(names == allowed[target], "Package.swift and the table of docs/architecture.md differ in \(target)")
        }
    }

    @Test func targetsImportOnlyWhatTheTableAllows() throws {
        let allowed = try Self.allowed()
        for file in try Self.files() {
            let mayImport = try #require(allowed[file.target], "\(file.target) is not in the table")
                .union(Self.everywhere)
                .union(Self.cLibrary.importers.contains(file.target) ? Self.cLibrary.names : [])
            for module in file.imports where module != "Foundation" {
                #expect(mayImport.contains(module), "\(file.name) imports \(module), which the table does not allow")
            }
        }
    }

    /// All of Foundation would add 12 MB of code to each program, and 31 MB of locales and calendars
    /// (docs/decisions/size.md).
    @Test func sourcesUseOnlyTheEssentialsOfFoundation() throws {
        for file in try Self.files() where file.imports.contains("Foundation") {
            #expect(
                file.text.contains("#if canImport(FoundationEssentials)"), "\(file.name) imports all of Foundation")
        }
    }

    @Test func foreignModulesHaveOneImporter() throws {
        let allowed = try Self.allowed()
        let foreign =
            Self.packages.values.joined()
            + allowed.keys.filter { $0.hasPrefix("C") && $0.dropFirst().first!.isUppercase }
        for module in foreign {
            let importers = allowed.filter { $0.value.contains(module) }.keys
            let expected = Self.shared[module] ?? importers.prefix(1).sorted()
            #expect(importers.sorted() == expected && !importers.isEmpty, "\(module) has the importers \(importers)")
        }
    }

    @Test func packagesAreThoseThatAreListed() throws {
        let package = try String(contentsOf: Self.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let names = package.components(separatedBy: ".package(url: \"").dropFirst().compactMap {
            $0.split(separator: "\"").first?.split(separator: "/").last.map(String.init)
        }
        #expect(Set(names) == Set(Self.packages.keys) && names.count == Self.packages.count)
        let products = Set(try Self.declared().values.joined()).subtracting(try Self.declared().keys)
        #expect(products == Set(Self.packages.values.joined()), "other products are used than are listed")
    }

    @Test func cTargetsIncludeOnlyTheirOwnLibrary() throws {
        for file in try Self.files(endings: [".c", ".cpp", ".h"]) {
            for line in file.text.split(separator: "\n") where line.hasPrefix("#include <") {
                let header = line.dropFirst("#include <".count)
                for (name, target) in Self.headers where header.hasPrefix(name) {
                    #expect(file.target == target, "\(file.name) includes \(header), which is \(target)'s")
                }
            }
        }
    }

    /// The linker sees nothing of libraries that are loaded at run time: packages depend on those that
    /// Scripts/loaded-libraries.txt lists.
    @Test func libraryListIsComplete() throws {
        let name = /"(lib[A-Za-z0-9_.+-]+\.so\.[0-9]+)"/
        let loaded = try Self.files(endings: [".c", ".cpp", ".h"]).flatMap { file in
            // In code only: comments have examples.
            file.text.split(separator: "\n").filter { !$0.hasPrefix("//") }.flatMap { line in
                line.matches(of: name).map { String($0.1) }
            }
        }
        let list = try String(
            contentsOf: Self.root.appendingPathComponent("Scripts/loaded-libraries.txt"), encoding: .utf8)
        let lines = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
        #expect(Set(lines.map { String($0[0]) }) == Set(loaded))
        for line in lines {
            #expect(["Depends", "Recommends", "Suggests", "-"].contains(line[1]) && line.count > 2, "\(line)")
        }
    }

    @Test func allFilesNameTheSameVersion() throws {
        func text(_ name: String) throws -> String {
            try String(contentsOf: Self.root.appendingPathComponent(name), encoding: .utf8)
        }
        let settings = try text("Sources/App/Configuration/Settings.swift")
        let version = try #require(settings.firstMatch(of: /public let version = "([0-9.]+)"/)?.1)
        #expect(try text("docs/flick.1").contains("\"flick \(version)\""))
        let metainfo = try text("Assets/desktop/org.example.flick.metainfo.xml")
        #expect(metainfo.firstMatch(of: /<release version="([0-9.]+)"/)?.1 == version)
        let changelog = try text("CHANGELOG.md")
        #expect(changelog.firstMatch(of: /\n## ([0-9.]+)/)?.1 == version)
    }

    /// Words that look like types but are not: the package's manifest, and fields of HTTP.
    private static let otherNames: Set = ["Package", "Allow", "Authorization", "Domain", "ETag", "Expect", "Host"]

    /// docs/architecture.md and docs/internals name types, targets and files that exist: `Name`, `Name.member`,
    /// `Name+Aspect`.
    @Test func documentedNamesExist() throws {
        let sources = try Self.files()
        var names = try Self.otherNames.union(Self.declared().keys)
        for file in sources { names.formUnion(StructureTests.names(in: Array(file.text.utf8))) }
        for file in try sources + Self.files(in: "Tests") {
            names.formUnion(file.name.split { "/+.".contains($0) }.map(String.init))
        }
        let internals = try FileManager.default.contentsOfDirectory(
            atPath: Self.root.appendingPathComponent("docs/internals").path)
        for page in ["architecture.md"] + internals.map({ "internals/" + $0 }) {
            let text = try String(contentsOf: Self.root.appendingPathComponent("docs/" + page), encoding: .utf8)
            let code = /`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*(?:[.+][A-Za-z]+)*)(?:\([a-z:]*\))?`/
            for quoted in text.matches(of: code) {
                for name in quoted.1.split(whereSeparator: { ".+".contains($0) })
                where name.first?.isUppercase == true {
                    let exists = names.contains(String(name))
                    #expect(exists, "docs/\(page) names \(name), which does not exist")
                }
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

    /// The formatter wraps code, but not comments, and nothing of C.
    @Test func linesFit() throws {
        let endings = [".swift", ".c", ".cpp", ".h"]
        for file in try Self.files(endings: endings) + Self.files(in: "Tests", endings: endings) {
            let isSwift = file.name.hasSuffix(".swift")
            for line in file.text.split(separator: "\n") where line.utf8.count > 120 && line.count > 120 {
                let isComment = line.trimmingPrefix { $0 == " " }.hasPrefix("//")
                #expect(isSwift && !isComment, "\(file.name) has a line of \(line.count) columns: \(line)")
            }
        }
    }

    /// Words that docs/CONTRIBUTING.md replaces. The few lines that have them use them in their ordinary sense, or are
    /// test data.
    @Test func wordsArePlain() throws {
        let words = [
            "tell", "tells", "told", "nobody", "somebody", "whoever", "anew", "is none", "are none", "as far as",
            "so many", "so long", "in vain", "given up", "gives up", "goes on", "go on", "of its own", "of itself",
            "is called so", "with what", "by what", "what came over",
        ]
        let pattern = try NSRegularExpression(
            pattern: "\\b(\(words.joined(separator: "|")))\\b", options: .caseInsensitive)
        let endings = [".swift", ".c", ".cpp", ".h"]
        let files = try Self.files(endings: endings) + Self.files(in: "Tests", endings: endings)
        var found: [String] = []
        for file in files where file.target != "ArchitectureTests" {
            let matches = pattern.matches(in: file.text, range: NSRange(file.text.startIndex..., in: file.text))
            for match in matches {
                guard let range = Range(match.range, in: file.text) else { continue }
                found.append("\(file.name): \(file.text[file.text.lineRange(for: range)])")
            }
        }
        #expect(found.count <= 17, "\(found.count) lines with such words: \(found.joined())")
    }

    /// A test that is left out where something is missing looks like one that passed: what is missing is a failure.
    @Test func noTestIsExcluded() throws {
        for file in try Self.files(in: "Tests") where file.target != "ArchitectureTests" {
            for word in [".enabled(", ".disabled(", "withKnownIssue", "XCTSkip", "Test.cancel"] {
                #expect(!file.text.contains(word), "\(file.name): \(word) leaves a test out")
            }
        }
    }
}
