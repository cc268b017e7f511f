import Foundation
import TestSupport
import Testing
import Threads

@testable import FeedServer

/// A server of this process on loopback, with a temporary folder. `stop` it at the end of a test.
final class ServedFolder: Sendable {
    let folder: TemporaryFolder
    let state: TemporaryFolder
    let server: FeedServer
    let port: UInt16

    static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    /// - Parameter files: what is in the folder, by path.
    init(
        _ files: [String: [UInt8]] = ["a.mp4": ServedFolder.bytes], folder: TemporaryFolder = TemporaryFolder(),
        state: TemporaryFolder = TemporaryFolder(), _ change: (inout ServerOptions) -> Void = { _ in }
    ) async throws {
        for (name, bytes) in files { try folder.write("served/" + name, bytes) }
        try folder.folder("served")
        (self.folder, self.state) = (folder, state)
        var options = ServerOptions(
            folder: Array((folder.path + "/served").utf8), database: .file(state.path + "/serve.db"))
        options.port = 0
        // The minimum of a request.
        options.allowedHosts = [.name("x")]
        options.log = state.path + "/log"
        change(&options)
        server = try FeedServer(options)
        port = UInt16(try await server.start())
    }

    var path: String { folder.path + "/served" }

    var log: String {
        // Written by another thread, and there once the server has stopped.
        fileText(state.path + "/log") ?? ""
    }

    /// The id of the item at a path.
    static func id(_ path: String) -> String { FolderIndex.id(ofPath: path.utf8) }

    static let a = ServedFolder.id("a.mp4")

    /// - Parameter limit: for requests in flight.
    func stop(upTo limit: Duration = .seconds(5)) async { await server.stop(upTo: limit) }

    /// The rows in its database, as another program reads them.
    func rows(_ query: String) throws -> String {
        let script = "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)"
        let result = try Command.run(["python3", "-c", script, state.path + "/serve.db", query])
        guard result.status == 0 else { throw Command.Error(description: result.errors) }
        return result.output
    }

    // MARK: Requests

    struct Reply: Sendable {
        var status: Int
        /// By name in lower case.
        var headers: [String: String]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }

        /// The fields of its JSON object. What is no such thing is an issue of the test.
        var json: [String: Any] {
            do {
                if let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] { return object }
                Issue.record("no object of JSON: \(status) \(text.prefix(200))")
            } catch {
                Issue.record(error, "no JSON: \(status) \(text.prefix(200))")
            }
            return [:]
        }

        /// nil if these bytes are no whole answer.
        init?(_ bytes: [UInt8]) {
            guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
            let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            guard let code = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
            status = code
            headers = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                headers[parts[0].lowercased()] = parts.count > 1 ? String(parts[1].dropFirst()) : ""
            }
            body = Array(bytes[end.upperBound...])
        }
    }

    struct NoReply: Error { var bytes: Int }

    /// Sends one request on a new connection, and reads to the end of it.
    func ask(
        _ method: String, _ target: String, _ headers: [String] = [], body: String? = nil
    ) async throws -> Reply {
        var lines = ["\(method) \(target) HTTP/1.1", "Connection: close"] + headers
        if !headers.contains(where: { $0.hasPrefix("Host:") }) { lines.append("Host: 127.0.0.1:\(port)") }
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return try await exchange(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }

    /// Sends these bytes, and reads what comes until the server ends the connection.
    ///
    /// - Parameter port: of another server to talk to.
    func exchange(_ text: String, port other: UInt16? = nil) async throws -> Reply {
        let port = other ?? port
        let bytes: [UInt8] = try await onThread {
            let client = try RawClient(port: port)
            client.send(text)
            return try client.readToEnd()
        }
        guard let reply = Reply(bytes) else { throw NoReply(bytes: bytes.count) }
        return reply
    }

    func get(_ target: String, _ headers: [String] = []) async throws -> Reply {
        try await ask("GET", target, headers)
    }

    /// The items of a page.
    func items(_ target: String = "/feed.json") async throws -> [[String: Any]] {
        try await get(target).json["items"] as? [[String: Any]] ?? []
    }

    func stats(_ path: String = "a.mp4") async throws -> [String: Int] {
        let item = try await items().first { $0["id"] as? String == Self.id(path) }
        return item?["stats"] as? [String: Int] ?? [:]
    }

    /// Waits until the walk has seen what a test has changed.
    func waits(for condition: @escaping @Sendable (FolderIndex) -> Bool) async -> Bool {
        let server = server
        return await onThread { server.keeper.waits(upTo: .seconds(20), for: condition) }
    }
}
