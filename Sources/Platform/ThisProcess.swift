/// The arguments that this process was started with, without the program's name.
package enum ProcessArguments {
    /// Their bytes. Swift's own list replaces invalid UTF-8, and the file of that name would not be found.
    package static var all: [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) }
        }
    }
}

package enum StandardError {
    /// Prints a text of one or more lines. It can quote the user's
    /// input, so of all control characters only line breaks are kept.
    package static func print(_ text: String) {
        let harmless = text.unicodeScalars.map { scalar in
            scalar != "\n" && scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
        }
        let bytes = Array((String(harmless) + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

package enum OpenFiles {
    /// How many files this process may have open, after raising that to `wanted` if the system allows; nil if it does
    /// not say.
    package static func limit(raisedTo wanted: Int) -> Int? {
        #if canImport(Darwin)
            let files = RLIMIT_NOFILE
        #else
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return nil }
        if limit.rlim_cur < rlim_t(wanted) {
            limit.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
            // If that is refused, the limit below is what there is.
            _ = setrlimit(files, &limit)
            _ = getrlimit(files, &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }
}
