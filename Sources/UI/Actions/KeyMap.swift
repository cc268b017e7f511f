/// Which action a key leads to, for each input mode. A value: `KeyTable` has the bindings that flick comes with, `[keys]` of a configuration changes them.
public struct KeyMap: Sendable, Equatable {
    private var actions: [InputMode: [Key: Action]] = [:]
    private var keys: [Action: [Key]] = [:]

    /// What flick comes with.
    public static let standard = KeyMap()

    /// The keys that keep their sense whatever a configuration says, so that there is always a way out.
    public static let reserved: [Key: Action] = [.character("q"): .quit, .control("c"): .quit, .escape: .close]

    /// - Parameter changes: the keys of an action instead of its own; none takes its keys away. A key that is given to an action so is taken from
    ///   the others of the same mode. Where two of `changes` want the same key, the action that `Action` lists first has it.
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

    /// The action of a key; nil if it has none. Shift, Alt and Ctrl with a key that types nothing count only where that is bound.
    public func action(for key: Key, in mode: InputMode) -> Action? {
        bound(key, in: mode) ?? key.unmodified.flatMap { bound($0, in: mode) }
    }

    private func bound(_ key: Key, in mode: InputMode) -> Action? {
        actions[mode]?[key] ?? actions[.page]?[key]
    }

    /// The keys that lead to an action, in the order in which they were given.
    public func keys(for action: Action) -> [Key] { keys[action] ?? [] }

    /// The actions that had keys of their own and have none left, as `changes` gave all of them to others.
    public static func emptied(by changes: [Action: [Key]]) -> [Action] {
        let map = KeyMap(changing: changes)
        return Action.allCases.filter { changes[$0] == nil && map.keys(for: $0).isEmpty }
    }
}
