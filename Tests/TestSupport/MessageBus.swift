import Foundation
import Platform

/// A separate message bus, by `dbus-daemon`, without the desktop of the person who runs the tests.
public final class MessageBus {
    public let address: String
    private var pid: pid_t = 0
    private let folder = TemporaryFolder()

    public struct Missing: Error {}

    /// Starts it, and waits until it listens. Everyone may own every name, also logind's.
    public init() throws {
        let path = folder.path + "/bus"
        address = "unix:path=\(path)"
        let config = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
            <allow own="*"/></policy></busconfig>
            """
        let file = try folder.write("bus.conf", config.utf8)
        pid = try spawn(
            ["dbus-daemon", "--nofork", "--config-file=\(file)"], environment: ProcessInfo.processInfo.environment)
        guard holds(within: .seconds(10), { FileManager.default.fileExists(atPath: path) }) else { throw Missing() }
    }

    deinit { stop() }

    /// Ends it, and all connections with it.
    public func stop() {
        guard pid > 0 else { return }
        kill(pid, SIGKILL)
        _ = reap(pid)
        pid = 0
    }

    /// Runs a program that talks to this bus.
    public func run(_ command: String...) throws -> Command.Result {
        try Command.run(command, setting: ["DBUS_SESSION_BUS_ADDRESS": address])
    }
}
