import TermGraphics

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension TerminalEnvironment {
    /// This process's.
    public static var current: TerminalEnvironment {
        var values: [String: String] = [:]
        for name in names { values[name] = getenv(name).map { String(cString: $0) } }
        return TerminalEnvironment(values)
    }
}
