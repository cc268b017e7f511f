import Foundation

/// Where this build's programs and the repository's files are.
public enum FlickBinary {
    /// The program under test: FLICK_BINARY, or the one built beside these tests.
    public static let path: String = {
        if let given = ProcessInfo.processInfo.environment["FLICK_BINARY"] { return given }
        let beside = Bundle.main.bundleURL.appendingPathComponent("flick").path
        if FileManager.default.isExecutableFile(atPath: beside) { return beside }
        return root.appendingPathComponent(".build/debug/flick").path
    }()

    /// A file that is built beside the program.
    public static func sibling(_ name: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// The repository.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The demo feed.
    public static let demo = root.appendingPathComponent("Assets/demo").path
}
