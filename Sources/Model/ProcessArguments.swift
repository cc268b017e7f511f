/// The arguments that this process was started with. Pure, but for reading them.
public enum ProcessArguments {
    /// As text, without the program's name. Swift replaces what is no UTF-8, and then finds no such file: such a path
    /// becomes its file URL.
    public static var texts: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map {
                text(of: UnsafeBufferPointer(start: $0, count: length(of: $0)).map { UInt8(bitPattern: $0) })
            }
        }
    }

    private static func length(of text: UnsafePointer<CChar>) -> Int {
        var end = 0
        while text[end] != 0 { end += 1 }
        return end
    }

    static func text(of argument: [UInt8]) -> String {
        if let text = String(validating: argument, as: UTF8.self) { return text }
        // No option is written with such bytes.
        if argument.first == UInt8(ascii: "-") { return String(decoding: argument, as: UTF8.self) }
        return FileURL.url(path: FileURL.absolute(argument))
    }
}
