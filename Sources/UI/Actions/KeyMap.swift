import TerminalInput

/// Which action a key leads to in each input mode. `KeyTable` has the default bindings; `[keys]` in the configuration
/// changes them. A value.
public struct KeyMap: Sendable, Equatable {
    private var actions: [InputMode: [Key: Action]] = [:]
    private var keys: [Action: [Key]] = [:]

    /// The default bindings.
    public static let standard = KeyMap()

    /// Keys that no configuration can change, so that there is always a way out.
    public static let reserved: [Key: Action] = [.character("q"): .quit, .control("c"): .quit, .escape: .close]

    /// - Parameter changes: the new keys of an action, in place of its default ones; an empty list leaves it without
    ///   keys. Other actions of the same mode lose a key that is given away here. Where two of `changes` want the same
    ///   key, the action that comes first in `Action` gets it.
    public init(changing changes: [Action: [Key]] = [:]) {
        for changed in [true, false] {
            for action in Action.allCases where (changes[action] != nil) == changed {
                for key in changes[action] ?? KeyTable.keys(of: action) where Self.reserved[key] == nil {
                    bind(key, to: action)
                }
            }
        }
        for action in [Action.quit, .close] {
            let own = Self.reserved.filter { $0.value == action }.keys.sorted { $0.name > $1.name }
            for key in own { bind(key, to: action) }
            keys[action] = own + (keys[action] ?? []).filter { !own.contains($0) }
        }
    }

    private mutating func bind(_ key: Key, to action: Action) {
        guard actions[action.mode, default: [:]][key] == nil else { return }
        actions[action.mode, default: [:]][key] = action
        keys[action, default: []].append(key)
    }

    /// The action bound to a key; nil without one. A key with Shift, Alt or Ctrl falls back to the plain key if it has
    /// no binding, unless it types a character.
    public func action(for key: Key, in mode: InputMode) -> Action? {
        bound(key, in: mode) ?? key.unmodified.flatMap { bound($0, in: mode) }
    }

    private func bound(_ key: Key, in mode: InputMode) -> Action? {
        for mode in mode.chain { if let action = actions[mode]?[key] { return action } }
        return nil
    }

    /// The keys that lead to an action, in the order of the configuration or the table.
    public func keys(for action: Action) -> [Key] { keys[action] ?? [] }

    /// The actions that lost all their keys because `changes` gave them to other actions.
    public static func emptied(by changes: [Action: [Key]]) -> [Action] {
        let map = KeyMap(changing: changes)
        return Action.allCases.filter { changes[$0] == nil && map.keys(for: $0).isEmpty }
    }
}
