import Model
import TerminalInput
import UI

/// Reads the values of a configuration file, and collects remarks about mistakes. A value.
struct ConfigReader {
    private(set) var configuration = Configuration()
    private(set) var remarks: [ConfigDiagnostic] = []
    private var document: ConfigDocument?

    /// - Parameter bytes: the whole file.
    init(_ bytes: some Collection<UInt8>) {
        // Some editors write a byte order mark.
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        guard let text = String(validating: bytes.dropFirst(hasMark ? 3 : 0), as: UTF8.self) else {
            remark(.error, nil, "it is not UTF-8 text")
            return
        }
        do throws(ConfigDocument.SyntaxError) {
            let document = try ConfigDocument(text)
            self.document = document
            read(document.values, below: "")
            checkKeys()
        } catch {
            remarks.append(ConfigDiagnostic(weight: .error, line: error.line, problem: error.why))
        }
    }

    /// The line of a key.
    func line(of path: String) -> Int? { document?.line(of: path) }

    var hasErrors: Bool { remarks.contains { $0.weight == .error } }

    /// Adds a remark about a key, ordered by line.
    mutating func remark(
        _ weight: ConfigDiagnostic.Weight, _ path: String?, _ problem: String, _ remedy: String? = nil
    ) {
        let line = path.flatMap { self.line(of: $0) }
        remarks.append(ConfigDiagnostic(weight: weight, line: line, problem: problem, remedy: remedy))
        remarks.sort { ($0.line ?? 0, $0.problem) < ($1.line ?? 0, $1.problem) }
    }

    private mutating func read(_ table: [String: ConfigValue], below parent: String) {
        for (name, value) in table {
            let path = parent.isEmpty ? name : "\(parent).\(name)"
            if let key = ConfigKey.all.first(where: { $0.path == path }) {
                set(key, to: value)
            } else if ConfigKey.all.contains(where: { $0.path.hasPrefix(path + ".") }) {
                if case .table(let inner) = value {
                    read(inner, below: path)
                } else {
                    remark(.error, path, "\(path) is \(value.shown)", "[\(path)] is a section, with its keys below it")
                }
            } else {
                let nearest = NearestName.of(path, among: ConfigReader.names(below: parent))
                let isTable = if case .table = value { true } else { false }
                let kind = parent.isEmpty && isTable ? "section" : "key"
                remark(.warning, path, "unknown \(kind) '\(path)'", nearest.map { "did you mean \($0)?" })
            }
        }
    }

    private mutating func set(_ key: ConfigKey, to value: ConfigValue) {
        if !key.set(value, &configuration) {
            let problem = key.isSecret ? "\(key.path) cannot be used" : "\(key.path) \(key.problem(value))"
            let element = key.place(value).map { "\(key.path).\($0)" }.flatMap { line(of: $0) == nil ? nil : $0 }
            remark(.error, element ?? key.path, problem, "expected \(key.wants)")
        }
    }

    /// The names that a mistyped one is compared with: keys everywhere; at the top level also sections.
    private static func names(below parent: String) -> [String] {
        parent.isEmpty ? Set(ConfigKey.all.map { String($0.section) }).sorted() : ConfigKey.all.map(\.path)
    }
}

extension ConfigReader {
    /// Makes the paths absolute.
    mutating func resolve(_ paths: ConfigPaths) {
        for place in configuration.home.sources.indices {
            configuration.home.sources[place].text = paths.source(configuration.home.sources[place].text)
        }
        configuration.hide.clips = configuration.hide.clips.map(paths.source)
        configuration.hide.sources = configuration.hide.sources.map(paths.source)
        configuration.cache.keyFile = configuration.cache.keyFile.map(paths.absolute)
        configuration.tools.ytDLP = paths.program(configuration.tools.ytDLP)
    }

    private static let privacy = "run `chmod 600` on it"

    /// Warns of a password that others can read.
    ///
    /// - Parameter isConfigPrivate: whether only its owner can read the configuration.
    mutating func checkPassword(isConfigPrivate: Bool) {
        guard !isConfigPrivate, let proxy = configuration.network.proxy,
            URLParts(proxy)?.authority?.utf8.contains(UInt8(ascii: "@")) == true
        else { return }
        remark(.warning, "network.proxy", "network.proxy has a password that others can read", Self.privacy)
    }

    /// Finds the key of an encrypted cache: in the configuration, in the file
    /// that it names, or in the keyring. Blocks on the file.
    ///
    /// - Parameter isConfigPrivate: whether only its owner can read the configuration.
    mutating func findKey(_ keyring: () throws(Keyring.Error) -> [UInt8], isConfigPrivate: Bool) {
        let cache = configuration.cache
        guard cache.key == nil || cache.keyFile == nil else {
            remark(.error, "cache.key_file", "cache.key_file and cache.key are both set", "remove one of them")
            return
        }
        guard cache.encrypts else {
            configuration.cache.key = nil
            if cache.key != nil { remark(.warning, "cache.key", "cache.key has no effect", "set cache.encrypt = true") }
            if cache.keyFile != nil {
                remark(.warning, "cache.key_file", "cache.key_file has no effect", "set cache.encrypt = true")
            }
            return
        }
        if cache.key != nil {
            if !isConfigPrivate {
                remark(.warning, "cache.key", "cache.key can be read by others", Self.privacy)
            }
        } else if let file = cache.keyFile {
            readKey(from: file)
        } else {
            do throws(Keyring.Error) {
                configuration.cache.key = try keyring()
            } catch {
                remark(
                    .error, "cache.encrypt", "cache.encrypt: no keyring found (\(error.why))",
                    "set cache.key_file to a file made with `openssl rand -hex 32`")
            }
        }
    }

    private mutating func readKey(from file: String) {
        let name = ShownName.of(FileURL.url(path: file.utf8))
        let remedy = "make it with `openssl rand -hex 32`, and run `chmod 600` on it"
        do throws(BytesError) {
            configuration.cache.key = try KeyFile.read(file)
            if configuration.cache.key == nil {
                remark(
                    .error, "cache.key_file", "cache.key_file \(name) does not contain a key of 64 hexadecimal digits",
                    remedy)
            } else if !KeyFile.isPrivate(file) {
                remark(.warning, "cache.key_file", "cache.key_file \(name) can be read by others", Self.privacy)
            }
        } catch {
            remark(.error, "cache.key_file", "cache.key_file \(name) cannot be read: \(error.why)", remedy)
        }
    }
}

extension ConfigReader {
    /// Finds key bindings that cannot work: keys with a fixed meaning, and keys that two actions want.
    mutating func checkKeys() {
        var owners: [InputMode: [Key: Action]] = [:]
        for action in configuration.keys.keys.sorted(by: isBefore) {
            for key in Set(configuration.keys[action] ?? []).sorted(by: { $0.name < $1.name }) {
                if let always = KeyMap.reserved[key], always != action {
                    let does = always == .quit ? "always quits" : "always closes what is open"
                    remark(
                        .error, path(of: action), "\(path(of: action)) has \(key.name), which \(does)",
                        "choose another key")
                } else if let other = owners[action.mode]?[key], other != action {
                    let line = line(of: other).map { " on line \($0)" } ?? ""
                    remark(
                        .error, path(of: action),
                        "\(path(of: action)): \(key.name) is already bound to \(path(of: other))\(line)",
                        "choose another key")
                } else {
                    owners[action.mode, default: [:]][key] = action
                }
            }
        }
        guard !hasErrors else { return }
        let map = KeyMap(changing: configuration.keys)
        for action in KeyMap.emptied(by: configuration.keys) {
            let taker = KeyTable.keys(of: action).lazy.compactMap { map.action(for: $0, in: action.mode) }.first
            remark(
                .note, taker.map(path), "\(action.rawValue) has no key",
                "bind one: \(action.rawValue) = [\"...\"]")
        }
    }

    private func path(of action: Action) -> String { "keys.\(action.rawValue)" }

    private func line(of action: Action) -> Int? { line(of: path(of: action)) }

    /// In the order of the file.
    private func isBefore(_ one: Action, _ other: Action) -> Bool {
        (line(of: one) ?? 0, one.rawValue) < (line(of: other) ?? 0, other.rawValue)
    }
}
