import Foundation
import TestSupport

/// The service of service.py, in a separate process, with the clips of the demo feed.
final class TestService {
    /// How the service handles requests that report something.
    enum Mode: String, CaseIterable {
        case ok, slow, hang, cut, lose, refuse, hostile
        case failing = "500"
        case unavailable = "503"
    }

    struct Table: Decodable {
        struct Event: Decodable {
            struct Body: Decodable {
                var watchedMs: Int?
                var watchTime: Double?
            }
            var kind: String
            var eventId: String
            var viewer: String
            var video: String
            var body: Body?
        }
        struct Comment: Decodable {
            var eventId: String
            var text: String
            var video: String
            var name: String?
            var parent: String?
        }
        var events: [Event]
        /// By viewer and video: the kinds that hold.
        var reactions: [String: [String]]
        var comments: [Comment]

        func events(_ kind: String) -> [Event] { events.filter { $0.kind == kind } }
    }

    private let folder = TemporaryFolder()
    private var pid: pid_t = 0
    private var port = ""

    var feed: String { "http://127.0.0.1:\(port)/feed.json" }

    init() throws { try start() }

    deinit { stop() }

    /// Starts it again, on the same port and with its stored data.
    func start() throws {
        let table = folder.path + "/table"
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("service.py")
            .path
        pid = try spawn(
            ["python3", script, FlickBinary.demo, table] + (port.isEmpty ? [] : [port]),
            environment: ProcessInfo.processInfo.environment)
        guard holds(within: .seconds(20), { access(table + ".port", R_OK) == 0 }) else {
            throw PTYProcess.Error(description: "service.py does not start")
        }
        port = try String(contentsOfFile: table + ".port", encoding: .utf8)
        unlink(table + ".port")
    }

    /// As `kill -9` does.
    func stop() {
        guard pid > 0 else { return }
        reap(pid, after: SIGKILL)
        pid = 0
    }

    func set(_ mode: Mode) throws { _ = try curl("-X", "PUT", "--data", mode.rawValue, address("mode")) }

    func table() throws -> Table { try Self.decoder.decode(Table.self, from: Data(curl(address("table")).utf8)) }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    private func address(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

    private func curl(_ arguments: String...) throws -> String {
        let result = try Command.run(["curl", "-sS", "--fail", "--max-time", "20"] + arguments)
        guard result.status == 0 else { throw PTYProcess.Error(description: "curl: \(result.errors)") }
        return result.output
    }
}
