import Foundation
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Desktop

/// The control socket with real clients.
@Suite(.timeLimit(.minutes(1))) struct ControlServerTests {
    private let folder = TemporaryFolder()
    private let runtime: RuntimeFolder

    init() throws {
        let path = folder.path
        runtime = try RuntimeFolder { _ in path }
    }

    /// A server whose loop answers each command with a title that counts them.
    private func server(answers: Bool = true) throws -> ControlServer {
        let count = Mutex(0)
        let server = try ControlServer(in: runtime) { request in
            guard answers else { return }
            var playing = NowPlaying()
            playing.title = count.withLock { count in
                count += 1
                return "\(request.command) \(count)"
            }
            request.answer(playing)
        } failed: {
            Issue.record($0)
        }
        let path = runtime.socket(of: getpid())
        #expect(holds(within: .seconds(5)) { FileManager.default.fileExists(atPath: path) })
        return server
    }

    private func connect() throws -> Descriptor {
        try UnixSocket.connect(to: runtime.socket(of: getpid()), within: .seconds(5))
    }

    /// What the server sends before it disconnects.
    private func received(_ socket: Descriptor) -> String {
        var (text, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 4_096))
        while true {
            let count = buffer.withUnsafeMutableBytes { socket.readSome(into: $0) }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += buffer[..<count]
        }
    }

    private func send(_ text: String, to socket: Descriptor) {
        _ = Array(text.utf8).withUnsafeBytes { socket.send($0, waits: true) }
    }

    private func mode(_ path: String) throws -> mode_t {
        var facts = stat()
        try #require(lstat(path, &facts) == 0)
        return facts.st_mode & 0o777
    }

    @Test func commandIsAnswered() throws {
        let server = try server()
        #expect(try ControlClient.send(.next, in: runtime).lines == ["Paused: next 1", "0:00 · volume 100 %"])
        #expect(try ControlClient.send(.status, in: runtime).lines.first == "Paused: status 2")
        server.close()
    }

    @Test func socketIsTheUsersAloneAndGoesWithTheServer() throws {
        let server = try server()
        #expect(try mode(runtime.path) == 0o700)
        #expect(try mode(runtime.socket(of: getpid())) == 0o600)
        server.close()
        #expect(runtime.sockets().isEmpty)
        #expect(throws: DesktopError("no flick is running; start one with `flick`")) {
            try ControlClient.send(.next, in: runtime)
        }
    }

    @Test func refusedRequestIsAnswered() throws {
        let server = try server()
        let socket = try connect()
        defer { socket.close() }
        send("{\"version\":1,\"command\":\"dance\"}\n", to: socket)
        #expect(received(socket) == "{\"version\":1,\"ok\":false,\"error\":\"unknown command 'dance'\"}\n")
        server.close()
    }

    @Test func oversizedRequestIsRefused() throws {
        let server = try server()
        let socket = try connect()
        defer { socket.close() }
        send(String(repeating: "x", count: 100_000), to: socket)
        // The rest of the request may reset the connection before the answer is read.
        let answer = received(socket)
        #expect(answer.isEmpty || answer.contains("longer than 1024 bytes"), "\(answer)")
        #expect(try ControlClient.send(.next, in: runtime).lines.first == "Paused: next 1")
        server.close()
    }

    @Test func hundredClientsAtOnceAreAnswered() throws {
        let server = try server()
        let titles = Mutex<Set<String>>([])
        DispatchQueue.concurrentPerform(iterations: 100) { _ in
            do {
                let answer = try ControlClient.send(.next, in: runtime)
                titles.withLock { _ = $0.insert(answer.lines.first ?? "") }
            } catch { Issue.record(error) }
        }
        #expect(titles.withLock(\.count) == 100)
        server.close()
    }

    /// More of them than there is room for, and some that send a part.
    @Test func silentClientsHoldUpNoOne() throws {
        let server = try server()
        let silent = try (0..<90).map { index in
            let socket = try connect()
            if index % 3 == 0 { send("{\"version\":", to: socket) }
            return socket
        }
        let start = ContinuousClock.now
        #expect(try ControlClient.send(.next, in: runtime).lines.first == "Paused: next 1")
        #expect(ContinuousClock.now - start < .seconds(1.5))
        // The first ones were disconnected, without an answer.
        #expect(received(silent[0]).isEmpty)
        for socket in silent { socket.close() }
        server.close()
    }

    @Test func clientThatLeavesIsForgotten() throws {
        let server = try server()
        for _ in 0..<50 {
            let socket = try connect()
            send("{\"version\":1,\"command\":\"next\"}\n", to: socket)
            socket.close()
        }
        #expect(try ControlClient.send(.next, in: runtime).lines.first?.hasPrefix("Paused: next") == true)
        server.close()
    }

    /// The loop is busy, or flick is stopped.
    @Test func clientOfALoopThatDoesNotAnswerGivesUp() throws {
        let server = try server(answers: false)
        #expect(throws: DesktopError.self) { try ControlClient.send(.next, in: runtime) }
        server.close()
    }

    // MARK: The folder

    /// Listens, as a flick did that was killed: its socket stays.
    private func leaveStale(_ pid: Int32, modified: Int) throws {
        let path = runtime.socket(of: pid)
        try UnixSocket.listen(at: path).close()
        var times = [timespec(tv_sec: modified, tv_nsec: 0), timespec(tv_sec: modified, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    }

    @Test func staleSocketsAreRemovedByServerAndClient() throws {
        try runtime.make()
        try leaveStale(999_001, modified: 1)
        let server = try server()
        #expect(runtime.sockets() == [runtime.socket(of: getpid())])
        // Newer than the one that works.
        try leaveStale(999_002, modified: 4_000_000_000)
        #expect(runtime.sockets().count == 2)
        #expect(try ControlClient.send(.next, in: runtime).lines.first == "Paused: next 1")
        #expect(runtime.sockets() == [runtime.socket(of: getpid())])
        server.close()
    }

    @Test func newestFlickIsControlled() throws {
        let server = try server()
        let other = try UnixSocket.listen(at: runtime.socket(of: 999_003))
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, runtime.socket(of: 999_003), &times, 0) == 0)
        #expect(runtime.sockets() == [runtime.socket(of: getpid()), runtime.socket(of: 999_003)])
        #expect(try ControlClient.send(.next, in: runtime).lines.first == "Paused: next 1")
        other.close()
        server.close()
    }

    @Test func folderOpenToOthersIsRefused() throws {
        mkdir(runtime.path, 0o700)
        chmod(runtime.path, 0o755)
        #expect(throws: DesktopError("'\(runtime.path)' is open to other users; run `chmod 700` on it")) {
            try runtime.make()
        }
        #expect(throws: DesktopError.self) { try ControlClient.send(.next, in: runtime) }
        rmdir(runtime.path)
        symlink("/tmp", runtime.path)
        #expect(throws: DesktopError("'\(runtime.path)' is not a folder; remove it")) { try runtime.make() }
        unlink(runtime.path)
        chmod(folder.path, 0o777)
        #expect(throws: DesktopError.self) { try runtime.make() }
        chmod(folder.path, 0o700)
        #expect(throws: Never.self) { try runtime.make() }
    }

    @Test func missingRuntimeFolderIsNoReasonToWarn() throws {
        for value in [nil, "", "run"] {
            let error = #expect(throws: DesktopError.self) { try RuntimeFolder { _ in value } }
            #expect(error?.isCommon == true)
        }
        let gone = folder.path + "/gone"
        let error = #expect(throws: DesktopError.self) { try RuntimeFolder { _ in gone }.make() }
        #expect(error?.isCommon == true)
    }

    @Test func pathThatIsTooLongIsReported() throws {
        let long = folder.path + "/" + String(repeating: "x", count: 100)
        mkdir(long, 0o700)
        let runtime = try RuntimeFolder { _ in long }
        let why = Mutex("")
        let server = try ControlServer(in: runtime) { _ in
        } failed: { error in
            why.withLock { $0 = error.description }
        }
        #expect(holds(within: .seconds(5)) { why.withLock { $0.hasSuffix("file name too long") } })
        server.close()
    }
}
