/// Where the parts of flick outside the running executable are. A value.
///
/// They are looked for in this order: where the environment says, beside the executable (a build), and in its
/// `../libexec/flick` and `../share/flick` (an installation).
public struct Installation: Equatable, Sendable {
    /// The decoder's executable.
    public var decoder: String?
    /// The executable of `flick serve`.
    public var server: String?
    /// The folder of the built-in demo feed with its `feed.json`.
    public var demo: String?

    public static let manifestName = "feed.json"

    /// - Parameters:
    ///   - executable: its own absolute path.
    ///   - environment: returns a variable.
    ///   - exists: whether there is a file at a path.
    package init(executable: String, environment: (String) -> String?, exists: (String) -> Bool) {
        let folder = Paths.folder(of: executable)
        func program(_ name: String, _ variable: String) -> String? {
            [environment(variable), "\(folder)/\(name)", "\(folder)/../libexec/flick/\(name)"].compactMap(\.self)
                .first(where: exists)
        }
        decoder = program("flick-decoder", "FLICK_DECODER")
        server = program("flick-server", "FLICK_SERVER")

        var demos = [environment("FLICK_DEMO"), "\(folder)/../share/flick/demo"].compactMap(\.self)
        // A build is some folders below the checkout: .build/x86_64-unknown-linux-gnu/release.
        var above = folder
        for _ in 0..<5 {
            demos.append("\(above)/Assets/demo")
            above = Paths.folder(of: above)
        }
        demo = demos.first { exists("\($0)/\(Installation.manifestName)") }
    }

    /// The parts of the running executable.
    public static func current() -> Installation {
        Installation(
            executable: executablePath(), environment: BaseFolder.environment, exists: { access($0, R_OK) == 0 })
    }

    /// The running executable with links resolved, so that a link in ~/bin finds its installation.
    private static func executablePath() -> String {
        #if os(Linux)
            let own = "/proc/self/exe"
        #else
            let own = CommandLine.arguments[0]
        #endif
        guard let resolved = Paths.resolved(Array(own.utf8)) else { return CommandLine.arguments[0] }
        return String(decoding: resolved, as: UTF8.self)
    }
}
