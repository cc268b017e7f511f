#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Prints an error as one line on standard error. It can contain names of files, so it is cleaned of everything that
/// commands a terminal.
public func printError(_ line: String) { printUsage(CleanText.line(line)) }

/// Prints a text of several lines on standard error. It can quote the user's input, so only its line breaks are kept.
public func printUsage(_ text: String) {
    let harmless = text.unicodeScalars.map { scalar in
        scalar != "\n" && scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
    }
    let bytes = Array((String(harmless) + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
