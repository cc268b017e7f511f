import Foundation
import TestSupport
import Testing

@testable import App

@Suite struct ConfigFileTests {
    private let folder = TemporaryFolder()
    private static let hex = String(repeating: "ab", count: 32)
    private static let key = [UInt8](repeating: 0xAB, count: 32)

    private func file(
        _ text: String,
        keyring: () throws(Keyring.Error) -> [UInt8] = { () throws(Keyring.Error) in
            throw Keyring.Error(why: "function not implemented")
        }
    ) throws -> ConfigFile {
        let path = try folder.write("config.toml", text.utf8)
        chmod(path, 0o600)
        return ConfigFile(path: path, mustExist: false, home: "/home/u", keyring: keyring)
    }

    @Test func aMissingFileIsAnErrorOnlyIfItWasNamed() {
        let path = folder.path + "/none.toml"
        let file = ConfigFile(path: path, mustExist: false, home: nil)
        #expect(!file.exists && file.remarks.isEmpty && file.configuration == Configuration())
        let named = ConfigFile(path: path, mustExist: true, home: nil)
        #expect(named.remarks.map { $0.text(of: "c") } == ["c: cannot be read: no such file"])
        #expect(throws: ConfigError("\(path): cannot be read: no such file")) {
            try Setup(config: path, cacheFolder: nil, keepsCache: false)
        }
    }

    @Test func unreadableConfigurationIsAnError() {
        let file = ConfigFile(path: folder.path, mustExist: false, home: nil)
        #expect(file.exists && file.remarks.map(\.problem) == ["cannot be read: is a folder"])
    }

    @Test func theFirstMistakeIsReportedAndTheOthersAreCounted() throws {
        let path = try folder.write("config.toml", "[cache]\nsize = 1\nage = 1\nloud = 1\n".utf8)
        #expect(
            throws: ConfigError(
                "\(path) line 2: cache.size is 1; expected a size such as 500MB, from 1MB to 1024TB (and 1 more; see `flick doctor`)"
            )
        ) { try Setup(config: path, cacheFolder: nil, keepsCache: true) }
    }

    @Test func pathsAreRelativeToTheFileOrTheHome() throws {
        let file = try file(
            "home.sources = ['~/Videos', '~', 'clips', '/abs', 'https://example.org/~/x', '~other/x']\ncache.key_file='k'\ncache.encrypt=false"
        )
        #expect(
            file.configuration.home.sources.map(\.text) == [
                "/home/u/Videos", "/home/u", "\(folder.path)/clips", "/abs", "https://example.org/~/x",
                "\(folder.path)/~other/x",
            ])
        #expect(file.configuration.cache.keyFile == "\(folder.path)/k")
    }

    @Test func theKeyComesFromTheConfiguration() throws {
        let file = try file("[cache]\nencrypt = true\nkey = '\(Self.hex)'")
        #expect(file.configuration.cache.key == Self.key && file.remarks.isEmpty)
        chmod(file.path, 0o644)
        let open = ConfigFile(path: file.path, mustExist: true, home: nil)
        #expect(
            open.remarks.map { $0.text(of: "c") } == [
                "c line 3: cache.key can be read by others; run `chmod 600` on it"
            ])
        #expect(open.remarks.map(\.weight) == [.warning])
    }

    @Test func aProxysPasswordInAFileForAllIsAWarning() throws {
        for (proxy, isSecret) in [("http://me:secret@p:1", true), ("http://me@p:1", true), ("http://p:1", false)] {
            let file = try file("[network]\nproxy = '\(proxy)'")
            #expect(file.remarks.isEmpty)
            chmod(file.path, 0o644)
            let open = ConfigFile(path: file.path, mustExist: true, home: nil)
            #expect(
                open.remarks.map { $0.text(of: "c") }
                    == (isSecret
                        ? ["c line 2: network.proxy has a password that others can read; run `chmod 600` on it"] : []))
            #expect(open.remarks.allSatisfy { $0.weight == .warning })
        }
    }

    @Test(arguments: [true, false]) func aKeyAndAFileWithOneAreAMistake(encrypts: Bool) throws {
        let file = try file("[cache]\nencrypt = \(encrypts)\nkey = '\(Self.hex)'\nkey_file = 'key'")
        #expect(
            file.remarks.map { $0.text(of: "c") } == [
                "c line 4: cache.key_file and cache.key are both set; remove one of them"
            ])
        #expect(file.remarks.map(\.weight) == [.error])
    }

    /// Of every kind of nesting that TOML has.
    @Test(arguments: [
        ("[", "]"), ("{a=", "}"), ("[{a=", "}]"), ("a.", ""), ("'b'.", ""),
    ])
    func deepNestingIsRefusedAtOnce(open: String, close: String) throws {
        func remarks(_ text: String) -> [String] {
            ConfigReader(Array(text.utf8)).remarks.map { $0.text(of: "config.toml") }
        }
        func nested(_ depth: Int) -> [String] {
            let inner = String(repeating: open, count: depth)
            let end = String(repeating: close, count: depth)
            // Names stand before the equals sign, or between brackets.
            return close.isEmpty
                ? ["\n\(inner)c = 1", "\n[\(inner)c]", "\n[[\(inner)c]]", "\nx = { \(inner)c = 1 }"]
                : ["\nx = \(inner)1\(end)"]
        }
        for text in nested(20_000) {
            let began = ContinuousClock.now
            #expect(remarks(text) == ["config.toml line 2: it is nested more than \(ConfigDocument.deepest) deep"])
            #expect(ContinuousClock.now - began < .seconds(2))
        }
        for text in nested(10) { #expect(!remarks(text).contains { $0.contains("nested") }) }
    }

    @Test func theKeyComesFromItsFile() throws {
        let path = try folder.write("key", " \(Self.hex)\n".utf8)
        chmod(path, 0o600)
        let text = "[cache]\nencrypt = true\nkey_file = 'key'"
        #expect(try file(text).configuration.cache.key == Self.key && file(text).remarks.isEmpty)
        try folder.write("key", Self.key)
        chmod(path, 0o600)
        #expect(try file(text).configuration.cache.key == Self.key && file(text).remarks.isEmpty)
        chmod(path, 0o640)
        #expect(
            try file(text).remarks.map { $0.text(of: "c") } == [
                "c line 3: cache.key_file '\(path)' can be read by others; run `chmod 600` on it"
            ])
        try folder.write("key", "short".utf8)
        #expect(try file(text).remarks.map(\.weight) == [.error])
        unlink(path)
        #expect(
            try file(text).remarks.map { $0.text(of: "c") } == [
                "c line 3: cache.key_file '\(path)' cannot be read: no such file; make it with `openssl rand -hex 32`, and run `chmod 600` on it"
            ])
    }

    @Test func withoutAKeyTheKeyringHasOne() throws {
        let text = "[cache]\nencrypt = true"
        #expect(try file(text) { () throws(Keyring.Error) in Self.key }.configuration.cache.key == Self.key)
        #expect(
            try file(text).remarks.map { $0.text(of: "c") } == [
                "c line 2: cache.encrypt: no keyring found (function not implemented); set cache.key_file to a file made with `openssl rand -hex 32`"
            ])
    }

    @Test func aKeyWithoutEncryptionIsAWarningAndIsNotUsed() throws {
        let file = try file("[cache]\nkey = '\(Self.hex)'")
        #expect(file.configuration.cache.key == nil && file.remarks.map(\.weight) == [.warning])
    }

    @Test func aKeyFileWithoutEncryptionIsAWarning() throws {
        let file = try file("[cache]\nkey_file = 'none'") { () throws(Keyring.Error) in Self.key }
        #expect(
            file.remarks.map { $0.text(of: "c") } == [
                "c line 2: cache.key_file has no effect; set cache.encrypt = true"
            ])
        #expect(file.remarks.map(\.weight) == [.warning] && file.configuration.cache.key == nil)
    }

    @Test func pathsOfHiddenClipsAndSourcesAreResolved() throws {
        let file = try file(
            "[hide]\nclips = ['a.mp4', 'https://h.example/b.mp4']\nsources = ['~/Videos']\ncreators = ['x/y']")
        let hide = file.configuration.hide
        #expect(hide.clips == ["\(folder.path)/a.mp4", "https://h.example/b.mp4"])
        #expect(hide.sources == ["/home/u/Videos"] && hide.creators == ["x/y"])
    }

    @Test func hiddenThingsBecomeRules() {
        var hide = Configuration.Hide()
        (hide.clips, hide.creators) = (["/a b.mp4", "https://h.example/b.mp4"], ["Bo"])
        (hide.topics, hide.sources, hide.words) = (["cats"], ["/videos"], ["live now"])
        #expect(
            hide.rules.map { "\($0.kind) \($0.id.value)" } == [
                "clip file:///a%20b.mp4", "clip https://h.example/b.mp4", "creator Bo", "topic cats",
                "source file:///videos", "words live now",
            ])
    }

    #if os(Linux)
        /// Only where the system allows processes a keyring; containers often do not.
        @Test func theKeyringKeepsAKey() throws {
            let name = "flick:test:\(UUID().uuidString)"
            do throws(Keyring.Error) {
                let key = try Keyring.key(named: name)
                #expect(key.count == 32 && Set(key).count > 8)
                #expect(try Keyring.key(named: name) == key)
            } catch {
                #expect(!error.why.isEmpty)
            }
        }
    #endif
}
