/// The patterns of one `.flickignore`, in the syntax of gitignore(5): what is left out of the folder that it lies in,
/// and of those below. Pure.
///
/// Unlike git's, `?` and `[!a]` match a whole character of UTF-8, and there are no classes with names (`[[:digit:]]`).
struct IgnoreRules: Sendable, Equatable {
    static let name = ".flickignore"
    /// In bytes.
    static let sizeLimit = 1 << 16
    /// Patterns beyond this number, and longer ones, do not count.
    static let most = 1_000
    static let longest = 1_000

    private struct Pattern: Sendable, Equatable {
        var steps: [Step]
        /// Whether it is compared with the whole path below the folder, not with the name alone.
        var isAnchored: Bool
        var isForFolders: Bool
        var isNegated: Bool
    }

    /// The pattern for one name of a path.
    private enum Step: Sendable, Equatable {
        /// `**`: any number of names.
        case any
        case name(GlobPattern)
    }

    private var patterns: [Pattern] = []

    var count: Int { patterns.count }

    init(_ text: [UInt8]) {
        let text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text[3...] : text[...]
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard patterns.count < Self.most else { return }
            if let pattern = Self.pattern(line) { patterns.append(pattern) }
        }
    }

    /// nil for blank lines, comments and what is no pattern.
    private static func pattern(_ line: ArraySlice<UInt8>) -> Pattern? {
        var line = line.last == 0x0D ? line.dropLast() : line
        guard line.first != UInt8(ascii: "#") else { return nil }
        // Blanks at the end, unless a backslash stands before them.
        while line.last == 0x20, line.dropLast().last != UInt8(ascii: "\\") { line = line.dropLast() }
        let isNegated = line.first == UInt8(ascii: "!")
        if isNegated { line = line.dropFirst() }
        let isForFolders = line.last == UInt8(ascii: "/")
        if isForFolders { line = line.dropLast() }
        guard !line.isEmpty, line.count <= longest else { return nil }
        let names = line.split(separator: UInt8(ascii: "/"))
        guard !names.isEmpty else { return nil }
        let isAnchored = line.contains(UInt8(ascii: "/"))
        var steps: [Step] = []
        for name in names {
            if isAnchored, name.elementsEqual("**".utf8) {
                if steps.last != .any { steps.append(.any) }
            } else {
                guard let glob = GlobPattern(name) else { return nil }
                steps.append(.name(glob))
            }
        }
        return Pattern(steps: steps, isAnchored: isAnchored, isForFolders: isForFolders, isNegated: isNegated)
    }

    /// Whether an entry is left out (true) or taken in again (false), by the
    /// last pattern that matches it; nil if none does.
    ///
    /// - Parameter path: below the folder of these rules, without a slash at its ends.
    func verdict(on path: ArraySlice<UInt8>, isFolder: Bool) -> Bool? {
        let names = path.split(separator: UInt8(ascii: "/"))
        guard let own = names.last else { return nil }
        for pattern in patterns.reversed() where isFolder || !pattern.isForFolders {
            let matches =
                if pattern.isAnchored {
                    Self.matches(pattern.steps, names)
                } else if case .name(let glob) = pattern.steps[0] {
                    glob.matches(own)
                } else {
                    false
                }
            if matches { return !pattern.isNegated }
        }
        return nil
    }

    /// Compares step by step. Where that fails, the last `**` takes one name more: what it took before need not be
    /// looked at again, so this is never worse than quadratic.
    private static func matches(_ steps: [Step], _ names: [ArraySlice<UInt8>]) -> Bool {
        var (step, name) = (0, 0)
        var retry: (step: Int, name: Int)?
        while name < names.count {
            if step < steps.count {
                switch steps[step] {
                case .any:
                    // At the end it stands for all that is in a folder, but not for the folder.
                    if step == steps.count - 1 { return true }
                    step += 1
                    retry = (step, name)
                    continue
                case .name(let glob):
                    if glob.matches(names[name]) {
                        (step, name) = (step + 1, name + 1)
                        continue
                    }
                }
            }
            guard let last = retry else { return false }
            (step, name) = (last.step, last.name + 1)
            retry = (step, name)
        }
        return step == steps.count
    }
}

/// A pattern for one name: `*`, `?`, `[a-z]`, `[!a]`, and `\` before what stands for itself. Pure.
struct GlobPattern: Sendable, Equatable {
    private enum Part: Sendable, Equatable {
        case byte(UInt8)
        case anyCharacter
        case anyRun
        /// Ranges of ASCII bytes.
        case oneOf([ClosedRange<UInt8>], isNegated: Bool)
    }

    private var parts: [Part] = []

    /// nil if it can match nothing: a bracket that is not closed, a backslash at the end.
    init?(_ text: ArraySlice<UInt8>) {
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "*"): if parts.last != .anyRun { parts.append(.anyRun) }
            case UInt8(ascii: "?"): parts.append(.anyCharacter)
            case UInt8(ascii: "["):
                guard let set = Self.set(&rest) else { return nil }
                parts.append(set)
            case UInt8(ascii: "\\"):
                guard let literal = rest.popFirst() else { return nil }
                parts.append(.byte(literal))
            default: parts.append(.byte(byte))
            }
        }
    }

    /// Parses a set after its opening bracket, up to the closing one, which may itself be the first member.
    private static func set(_ rest: inout ArraySlice<UInt8>) -> Part? {
        let isNegated = rest.first == UInt8(ascii: "!") || rest.first == UInt8(ascii: "^")
        if isNegated { rest.removeFirst() }
        var ranges: [ClosedRange<UInt8>] = []
        var isFirst = true
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "]"), !isFirst { return .oneOf(ranges, isNegated: isNegated) }
            isFirst = false
            if byte == UInt8(ascii: "\\") {
                guard let literal = rest.popFirst() else { return nil }
                byte = literal
            }
            var end = byte
            if rest.first == UInt8(ascii: "-"), let after = rest.dropFirst().first, after != UInt8(ascii: "]") {
                rest.removeFirst(2)
                end = after
                if after == UInt8(ascii: "\\") {
                    guard let literal = rest.popFirst() else { return nil }
                    end = literal
                }
            }
            if byte <= end { ranges.append(byte...end) }
        }
        return nil
    }

    /// Compares part by part. Where that fails, the last `*` takes one character more: never worse than quadratic.
    func matches(_ name: ArraySlice<UInt8>) -> Bool {
        var (part, place) = (0, name.startIndex)
        var retry: (part: Int, place: Int)?
        while place < name.endIndex {
            if part < parts.count {
                if parts[part] == .anyRun {
                    part += 1
                    retry = (part, place)
                    continue
                }
                if let end = end(of: parts[part], at: place, in: name) {
                    (part, place) = (part + 1, end)
                    continue
                }
            }
            guard let last = retry else { return false }
            (part, place) = (last.part, Self.characterEnd(at: last.place, in: name))
            retry = (part, place)
        }
        return parts[part...].allSatisfy { $0 == .anyRun }
    }

    /// Where a part ends that matches there; nil if it does not.
    private func end(of part: Part, at place: Int, in name: ArraySlice<UInt8>) -> Int? {
        switch part {
        case .byte(let byte): name[place] == byte ? place + 1 : nil
        case .anyCharacter: Self.characterEnd(at: place, in: name)
        case .oneOf(let ranges, let isNegated):
            ranges.contains { $0.contains(name[place]) } != isNegated ? Self.characterEnd(at: place, in: name) : nil
        case .anyRun: nil
        }
    }

    /// Behind a byte and those that continue its character.
    private static func characterEnd(at place: Int, in name: ArraySlice<UInt8>) -> Int {
        var end = place + 1
        while end < name.endIndex, name[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
