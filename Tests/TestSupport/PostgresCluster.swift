import Foundation
import Synchronization

/// A private PostgreSQL server, on loopback and a Unix socket. Ends with this object, and with the test process however
/// that ends.
public final class PostgresCluster: Sendable {
    public struct Error: Swift.Error, CustomStringConvertible {
        public let description: String
    }

    /// One for all tests that do not stop it.
    public static let shared = Result { try PostgresCluster() }

    /// What its only user is called, and, over TCP, has to say.
    public static let user = "flick"
    public static let password = "open sesame/§"

    public var port: UInt16 { reserved.number }
    private let reserved: ReservedPort
    private let folder = TemporaryFolder()
    private let isDurable: Bool
    private let databases = Mutex<Set<String>>([])
    /// The shell that ends the server when the pipe to it is closed.
    private let running = Mutex<(keeper: pid_t, pipe: Int32)?>(nil)

    /// Returns once it lets in. Blocks.
    ///
    /// - Parameter isDurable: whether it waits for the disk, as a real one does.
    public init(isDurable: Bool = false) throws {
        self.isDurable = isDurable
        reserved = try ReservedPort()
        let word = try folder.write("password", (Self.password + "\n").utf8)
        if geteuid() == 0 {
            // The server refuses to be root.
            guard let postgres = getpwnam("postgres") else { throw Error(description: "there is no user 'postgres'") }
            for path in [folder.path, word] { chown(path, postgres.pointee.pw_uid, postgres.pointee.pw_gid) }
        }
        let made = try Command.run(
            Self.asServer([
                try Self.program("initdb"), "-D", data, "-U", Self.user, "-E", "UTF8", "--locale=C", "--no-sync",
                "--auth-local=trust", "--auth-host=scram-sha-256", "--pwfile=" + word,
            ]))
        guard made.status == 0 else { throw Error(description: "initdb: \(made.errors)") }
        try start()
    }

    deinit { stop() }

    private var data: String { folder.path + "/data" }

    private static func asServer(_ arguments: [String]) -> [String] {
        geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] + arguments : arguments
    }

    /// Debian keeps the server's programs beside each other by version, and out of PATH.
    private static func program(_ name: String) throws -> String {
        let debian = "/usr/lib/postgresql"
        // Elsewhere there is no such folder.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
        guard let version = versions.max(by: { (Int($0) ?? 0) < (Int($1) ?? 0) }) else { return name }
        return "\(debian)/\(version)/bin/\(name)"
    }

    // MARK: Its life

    /// Blocks.
    public func start() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Error(description: "there is no pipe") }
        // What other tests start must not keep it open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let settings = [
            "listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=\(folder.path)",
            "max_connections=60", "shared_buffers=32MB", "fsync=\(isDurable ? "on" : "off")",
            "synchronous_commit=on", "log_min_messages=fatal",
        ]
        let server =
            [try Self.program("postgres"), "-D", data] + settings.flatMap { ["-c", $0] }
        // Without a word, the test's process has ended.
        let script = """
            "$@" > '\(folder.path)/log' 2>&1 & server=$!
            read -r word; kill -INT $server; wait $server
            [ "$word" = keep ] || rm -rf '\(folder.path)'
            """
        let keeper = try spawn(
            ["/bin/sh", "-c", script, "sh"] + Self.asServer(server), descriptors: [(ends[0], 0)],
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"])
        close(ends[0])
        running.withLock { $0 = (keeper, ends[1]) }
        let isReady = try Self.program("pg_isready")
        let letsIn = try holds(within: .seconds(30)) {
            try Command.run([isReady, "-q", "-h", folder.path, "-p", "\(port)"]).status == 0
        }
        guard letsIn else {
            throw Error(description: "PostgreSQL does not begin: \(fileText(folder.path + "/log") ?? "")")
        }
    }

    /// Stops the server even if clients are connected. Blocks.
    public func stop() {
        let its = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let its else { return }
        let word = Array("keep\n".utf8)
        _ = write(its.pipe, word, word.count)
        close(its.pipe)
        reap(its.keeper)
    }

    // MARK: Its databases

    /// The address of the database with this name, which is created if it is missing. Blocks.
    public func address(of name: String, encoding: String = "UTF8") throws -> String {
        let isNew = databases.withLock { $0.insert(name).inserted }
        if isNew {
            try query("CREATE DATABASE \"\(name)\" TEMPLATE template0 ENCODING '\(encoding)'", in: "postgres")
        }
        return "postgres://\(Self.user)@/\(name)?host=\(folder.path.replacing("/", with: "%2F"))&port=\(port)"
    }

    /// The same over TCP, at this port or that of a relay.
    public func address(of name: String, overTCP port: UInt16, password: String = password) throws -> String {
        _ = try address(of: name)
        let word = password.utf8.map { "%" + String($0, radix: 16) }.joined()
        return "postgres://\(Self.user):\(word)@127.0.0.1:\(port)/\(name)"
    }

    /// Rows as lines, columns parted by "|". Blocks.
    @discardableResult
    public func query(_ statement: String, in name: String) throws -> [String] {
        let result = try Command.run([
            "psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-h", folder.path, "-p", "\(port)", "-U",
            Self.user,
            "-d", name, "-c", statement,
        ])
        guard result.status == 0 else { throw Error(description: "psql: \(result.errors)") }
        return result.output.split(separator: "\n").map(String.init)
    }
}
