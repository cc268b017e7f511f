import Platform
import TestSupport
import Testing

/// What a program finds that was started: the streams that it was given, and nothing else of this process.
@Suite struct InvocationTests {
    private let folder = TemporaryFolder()

    /// What a shell script prints that is started so.
    private func output(
        of script: String, environment: [String: String]? = ["PATH": "/usr/bin:/bin"],
        streams: [Int32: Invocation.Stream] = [:], group: Invocation.Group = .own
    ) throws -> String {
        let path = "\(folder.path)/output"
        let all = streams.merging([1: .file(path, O_WRONLY | O_CREAT | O_TRUNC)]) { $1 }
        let child = try ChildProcess(
            Invocation(path: "/bin/sh", ["sh", "-c", script], environment: environment, streams: all, group: group))
        #expect(child.reap() == 0)
        return try text(Descriptor.open(path, O_RDONLY))
    }

    @Test func argumentsAndEnvironmentAreThoseGiven() throws {
        #expect(try output(of: "echo $0 $ONE", environment: ["ONE": "a b", "PATH": "/bin"]) == "sh a b\n")
        #expect(try output(of: "echo $PATH", environment: nil).contains("/bin"))
    }

    @Test func otherDescriptorsAreClosed() throws {
        // Without close-on-exec.
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        #expect(try output(of: "ls /proc/self/fd | sort | tr '\\n' ' '") == "0 1 2 3 ")
    }

    /// Neither stream replaces the source of the other.
    @Test func streamsMayTradeNumbers() throws {
        let (one, two) = (try Pipe(), try Pipe())
        let streams: [Int32: Invocation.Stream] = [
            one.writing.number: .descriptor(two.writing.number), two.writing.number: .descriptor(one.writing.number),
        ]
        let script = "cd /proc/self/fd; echo one > \(one.writing.number); echo two > \(two.writing.number)"
        #expect(try output(of: script, streams: streams).isEmpty)
        one.closeWriting()
        two.closeWriting()
        #expect(try text(one.reading) == "two\n" && text(two.reading) == "one\n")
    }

    private func text(_ file: Descriptor) throws -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = bytes.withUnsafeMutableBytes { file.readSome(into: $0) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func standardStreamsThatAreNotGivenAreEmpty() throws {
        #expect(try output(of: "wc -c; readlink /proc/self/fd/2") == "0\n/dev/null\n")
    }

    @Test func groupIsOneOfItsOwnIfWanted() throws {
        let script = "read pid name state parent group rest < /proc/$$/stat; echo $pid $group"
        func isLeader(_ group: Invocation.Group) throws -> Bool {
            let numbers = try output(of: script, group: group).split { $0 == " " || $0 == "\n" }
            return numbers.count == 2 && numbers[0] == numbers[1]
        }
        #expect(try isLeader(.own) && isLeader(.session) && !isLeader(.same))
    }

    @Test func missingProgramIsAnError() {
        #expect(throws: SystemError("posix_spawn", ENOENT)) { try Invocation(["no-such-program"]).start() }
        #expect(throws: SystemError("posix_spawn", ENOENT)) { try Invocation(path: "/no/such", ["sh"]).start() }
    }
}

@Suite struct ChildProcessTests {
    @Test func endIsSeenBeforeItIsReaped() throws {
        let child = try ChildProcess(Invocation(["sh", "-c", "exit 3"]))
        ChildProcess.waitForExit(of: child.pid)
        #expect(child.hasExited)
        #expect(child.reap() == 3 << 8)
        // Its number may be another's now.
        #expect(child.hasExited && child.reap() == 3 << 8)
        child.signalGroup(SIGKILL)
    }

    @Test func signalReachesWhatItHasStarted() throws {
        let pipe = try Pipe()
        let child = try ChildProcess(
            Invocation(["sh", "-c", "sleep 1000 & wait"], streams: [1: .descriptor(pipe.writing.number)]))
        pipe.closeWriting()
        #expect(!child.hasExited)
        child.signalGroup(SIGKILL)
        #expect(child.reap() == SIGKILL)
        // The end: the other end is closed everywhere.
        var byte = [UInt8](repeating: 0, count: 1)
        #expect(byte.withUnsafeMutableBytes { pipe.reading.readSome(into: $0) } == 0)
    }
}
