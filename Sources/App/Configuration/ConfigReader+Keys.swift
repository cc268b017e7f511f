import TerminalInput
import UI

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
                        "\(path(of: action)) has \(key.name), as \(path(of: other)) has\(line)",
                        "a key can do one thing")
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
