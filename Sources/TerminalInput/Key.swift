import Model

/// A key, independent of the bytes that the terminal sends for it. A value.
public struct Key: Hashable, Sendable {
    public enum Base: Hashable, Sendable {
        case character(Character)
        case up, down, left, right
        case pageUp, pageDown, home, end, insert, delete
        case enter, escape, backspace, tab
        /// F1 to F12.
        case function(Int)
    }

    /// The modifiers that were down. Shift is part of a character ("A"). Alt with a character looks like Escape before
    /// it, and counts as these two keys where no text is typed.
    public struct Modifiers: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let shift = Modifiers(rawValue: 1)
        public static let alt = Modifiers(rawValue: 2)
        public static let control = Modifiers(rawValue: 4)
    }

    public var base: Base
    public var modifiers: Modifiers

    public init(_ base: Base, _ modifiers: Modifiers = []) {
        self.base = base
        self.modifiers = modifiers
    }

    public static let up = Key(.up)
    public static let down = Key(.down)
    public static let left = Key(.left)
    public static let right = Key(.right)
    public static let shiftLeft = Key(.left, .shift)
    public static let shiftRight = Key(.right, .shift)
    public static let altLeft = Key(.left, .alt)
    public static let altRight = Key(.right, .alt)
    public static let pageUp = Key(.pageUp)
    public static let pageDown = Key(.pageDown)
    public static let home = Key(.home)
    public static let end = Key(.end)
    public static let insert = Key(.insert)
    public static let delete = Key(.delete)
    public static let enter = Key(.enter)
    public static let escape = Key(.escape)
    public static let backspace = Key(.backspace)
    public static let tab = Key(.tab)
    public static func character(_ character: Character) -> Key { Key(.character(character)) }
    /// - Parameter character: a lower-case character.
    public static func control(_ character: Character) -> Key { Key(.character(character), .control) }
    /// - Parameter number: 1 to 12.
    public static func function(_ number: Int) -> Key { Key(.function(number)) }

    /// Escape and a key at once look like Alt and that key: the key after the Escape; nil if this is another key.
    package var afterEscape: Key? {
        guard modifiers == .alt else { return nil }
        switch base {
        case .character, .enter, .backspace: return Key(base)
        default: return nil
        }
    }

    /// The same key without modifiers, for keys whose modifiers have no binding. nil for keys that type a character.
    package var unmodified: Key? {
        if case .character = base { return nil }
        return modifiers.isEmpty ? nil : Key(base)
    }
}

// MARK: - Names

extension Key {
    /// The name in the configuration and the trace: "j", "space", "ctrl-l", "shift-left", "pgdn", "f5".
    public var name: String {
        var name = ""
        if modifiers.contains(.control) { name += "ctrl-" }
        if modifiers.contains(.alt) { name += "alt-" }
        if modifiers.contains(.shift) { name += "shift-" }
        switch base {
        case .character(" "): return name + "space"
        case .character(let character): return name + CleanText.line(String(character), limit: 8)
        case .function(let number): return name + "f\(number)"
        default: return name + (Self.names.first { $0.base == base }?.name ?? "")
        }
    }

    /// The name that people read: "j", "Space", "Ctrl-L", "Shift-←", "PgDn", "F5".
    ///
    /// - Parameter isASCII: writes the arrows as words.
    package func label(isASCII: Bool) -> String {
        var label = ""
        if modifiers.contains(.control) { label += "Ctrl-" }
        if modifiers.contains(.alt) { label += "Alt-" }
        if modifiers.contains(.shift) { label += "Shift-" }
        switch base {
        case .character(" "): return label + "Space"
        case .character(let character):
            let text = CleanText.line(String(character), limit: 8)
            return label + (modifiers.isEmpty ? text : text.uppercased())
        case .function(let number): return label + "F\(number)"
        default:
            guard let entry = Self.names.first(where: { $0.base == base }) else { return label }
            return label + (isASCII ? entry.word : entry.label)
        }
    }

    /// The first entry of each key is its name; the others are aliases.
    private static let names: [(base: Base, name: String, label: String, word: String)] = [
        (.up, "up", "↑", "Up"), (.down, "down", "↓", "Down"), (.left, "left", "←", "Left"),
        (.right, "right", "→", "Right"), (.pageUp, "pgup", "PgUp", "PgUp"), (.pageDown, "pgdn", "PgDn", "PgDn"),
        (.home, "home", "Home", "Home"), (.end, "end", "End", "End"), (.insert, "insert", "Ins", "Ins"),
        (.delete, "delete", "Del", "Del"), (.enter, "enter", "Enter", "Enter"), (.escape, "esc", "Esc", "Esc"),
        (.backspace, "backspace", "BackSpace", "BackSpace"), (.tab, "tab", "Tab", "Tab"),
        (.character(" "), "space", "Space", "Space"),
        (.pageUp, "pageup", "", ""), (.pageDown, "pagedown", "", ""), (.pageDown, "pgdown", "", ""),
        (.insert, "ins", "", ""), (.delete, "del", "", ""), (.enter, "return", "", ""), (.escape, "escape", "", ""),
        (.backspace, "bs", "", ""), (.character("-"), "minus", "", ""), (.character("+"), "plus", "", ""),
    ]

    /// The names to suggest for a mistyped one.
    public static let namedKeys: [String] = names.map(\.name) + (1...12).map { "f\($0)" }

    /// The key with a name from the configuration; case matters for letters only. nil if no key has the name, or if
    /// terminals cannot distinguish it from another key.
    public init?(name: String) {
        var rest = Substring(name)
        var modifiers: Modifiers = []
        prefixes: while true {
            for (prefix, modifier) in [("ctrl-", Modifiers.control), ("alt-", .alt), ("shift-", .shift)] {
                guard rest.count > prefix.count, rest.prefix(prefix.count).lowercased() == prefix else { continue }
                guard modifiers.insert(modifier).inserted else { return nil }
                rest = rest.dropFirst(prefix.count)
                continue prefixes
            }
            break
        }
        guard let base = Self.base(named: rest) else { return nil }
        self.init(base, modifiers)
        guard case .character(let character) = base else { return }
        switch modifiers {
        case []: break
        case .shift:
            let upper = character.uppercased()
            guard upper.count == 1, upper != String(character) else { return nil }
            self = .character(Character(upper))
        case .control:
            guard let key = Self.control(typing: character) else { return nil }
            self = key
        default: return nil
        }
    }

    private static func base(named name: Substring) -> Base? {
        if name.count == 1, let character = name.first {
            return CleanText.line(String(character), limit: 8) == String(character) ? .character(character) : nil
        }
        let small = name.lowercased()
        if let entry = names.first(where: { $0.name == small }) { return entry.base }
        guard small.first == "f", let number = Int(small.dropFirst()), (1...12).contains(number) else { return nil }
        return .function(number)
    }

    /// What a terminal sends for Ctrl and a character (ECMA-48's C0 codes). Some of these are keys of their own, such
    /// as Tab for Ctrl-I.
    private static func control(typing character: Character) -> Key? {
        guard let ascii = character.asciiValue else { return nil }
        switch ascii {
        case UInt8(ascii: " "), UInt8(ascii: "@"): return .control("@")
        case UInt8(ascii: "["): return .escape
        case UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "_"): return .control(character)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
            switch ascii | 0x20 {
            case UInt8(ascii: "h"): return .backspace
            case UInt8(ascii: "i"): return .tab
            case UInt8(ascii: "j"), UInt8(ascii: "m"): return .enter
            case let letter: return .control(Character(Unicode.Scalar(letter)))
            }
        default: return nil
        }
    }
}
