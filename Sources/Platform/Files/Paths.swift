internal import CPlatform

/// The bytes of a path, as the system's calls want them.
extension Collection<UInt8> {
    /// Calls `body` with the bytes as a C string. They must not contain NUL: the string would end there.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        let terminated = map { CChar(bitPattern: $0) } + [0]
        return try terminated.withUnsafeBufferPointer {
            // Never nil: the array holds at least the NUL.
            try body($0.baseAddress!)
        }
    }
}

package enum Paths {
    /// The path without links, `.` and `..`; nil if it leads to nothing.
    package static func resolved(_ path: [UInt8]) -> [UInt8]? {
        guard let real = path.withCString({ realpath($0, nil) }) else { return nil }
        defer { free(real) }
        return Array(UnsafeRawBufferPointer(start: real, count: strlen(real)))
    }

    /// The folder that a path lies in; the root's is the root.
    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

package enum Folders {
    /// Moves a file or folder to another open folder, under the same name. A link is moved itself.
    ///
    /// - Returns: 0, or the errno: `EEXIST` if the name is not free there.
    package static func move(_ name: [UInt8], from: Int32, to: Int32) -> Int32 {
        name.withCString { flick_rename_to_free(from, $0, to, $0) }
    }

    /// Creates the folders above the file `path`, for the user only. Ignores failures: opening the file will report
    /// them.
    package static func make(above path: String) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true).dropLast()
        var folder = path.hasPrefix("/") ? "" : "."
        while let part = parts.popFirst() {
            folder += "/\(part)"
            mkdir(folder, 0o700)
        }
    }
}

/// flick's folders, by the XDG base directory specification.
public enum BaseFolder: String, CaseIterable, Sendable {
    case state = "XDG_STATE_HOME"
    case cache = "XDG_CACHE_HOME"
    case config = "XDG_CONFIG_HOME"

    /// nil if neither the variable nor `HOME` is set. `environment` returns a variable.
    public func path(environment: (String) -> String?) -> String? {
        // The specification says to ignore relative paths.
        if let base = environment(rawValue), base.hasPrefix("/") { return "\(base)/flick" }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        switch self {
        case .state: return "\(home)/.local/state/flick"
        case .cache: return "\(home)/.cache/flick"
        case .config: return "\(home)/.config/flick"
        }
    }

    /// A variable of this process.
    public static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
