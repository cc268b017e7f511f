import Foundation

/// An nginx on loopback, at free ports. Ends with this object.
public final class NginxProcess: Sendable {
    public struct Error: Swift.Error, CustomStringConvertible {
        public let description: String
    }

    public var ports: [UInt16] { reserved.map(\.number) }
    private let reserved: [ReservedPort]
    private let pid: pid_t
    private let hasWorkers: Bool
    private let folder: TemporaryFolder

    /// Returns once it listens at all its ports. Blocks.
    ///
    /// - Parameters:
    ///   - folder: for its files.
    ///   - ports: how many.
    ///   - hasWorkers: one on each core, and a master; else one process does all.
    ///   - http: the configuration's http block, for those ports.
    public init(
        in folder: TemporaryFolder = TemporaryFolder(), ports count: Int = 1, hasWorkers: Bool = false,
        http: ([UInt16]) -> String
    ) throws {
        (self.folder, self.hasWorkers) = (folder, hasWorkers)
        let reserved = try (0..<count).map { _ in try ReservedPort() }
        self.reserved = reserved
        let path = folder.path
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(path)/temporary;"
        }
        let configuration = """
            daemon off; pid \(path)/pid;
            \(hasWorkers ? "worker_processes auto; user \(NSUserName());" : "master_process off;")
            events { worker_connections 1024; }
            http {
              types { video/mp4 mp4; }
              \(temporary.joined(separator: " "))
              \(http(reserved.map(\.number)))
            }
            """
        try folder.write("nginx.conf", configuration.utf8)
        try folder.folder("temporary")
        pid = try spawn(
            ["nginx", "-p", path, "-e", path + "/errors", "-c", path + "/nginx.conf"],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin"])
        for port in ports { try wait(for: port) }
    }

    deinit {
        // A master that is killed leaves its workers.
        reap(pid, after: hasWorkers ? SIGTERM : SIGKILL)
    }

    private func wait(for port: UInt16) throws {
        let listens = holds(within: .seconds(10)) {
            // Until it does, the connection is refused.
            guard let descriptor = try? Socket.connect(port: port) else { return false }
            Socket.close(descriptor)
            return true
        }
        guard listens else {
            throw Error(description: "nginx does not listen: \(fileText(folder.path + "/errors") ?? "")")
        }
    }
}
