import Foundation
import Platform
import TestSupport
import Testing
import Threads

@testable import Feeds

@Suite struct ProgramTests {
    private func trouble(_ body: () throws -> Program.Printed) -> Program.RunError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? Program.RunError
        }
    }

    private func isAlive(_ pid: String) throws -> Bool {
        try ProcessTable.all().contains { "\($0.pid)" == pid && $0.isAlive }
    }

    @Test func programGetsOnlyItsArguments() throws {
        let program = try ScriptedProgram(
            "printf '<%s>' \"$@\"; cat; env | sort | cut -d= -f1 >&2")
        let printed = try program.run()
        #expect(String(decoding: printed.output, as: UTF8.self) == "<-a><b c>")
        let errors = String(decoding: printed.errors, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(errors.contains("PATH") && !errors.contains("HOME"))
    }

    @Test func silentProgramIsKilledWithItsChildren() throws {
        let program = try ScriptedProgram(
            "sleep 1000 & echo $! > \"$HERE/child\"; echo $$ > \"$HERE/self\"; sleep 1000")
        #expect(trouble { try program.run(silence: .milliseconds(500)) } == .silent(.milliseconds(500)))
        let (child, own) = (program.line("child"), program.line("self"))
        #expect(!child.isEmpty && !own.isEmpty)
        #expect(try holds(within: .seconds(30)) { try !isAlive(child) && !isAlive(own) })
    }

    @Test func remainingChildrenAreKilled() throws {
        let program = try ScriptedProgram("sleep 1000 > /dev/null 2>&1 & echo $! > \"$HERE/child\"; echo done")
        #expect(try program.run().output == Array("done\n".utf8))
        let child = program.line("child")
        #expect(try holds(within: .seconds(30)) { try !isAlive(child) })
    }

    /// It is not waited for longer than a moment.
    @Test func childThatKeepsStandardErrorOpenDoesNotBlock() throws {
        let program = try ScriptedProgram("sleep 1000 > /dev/null & echo done")
        let began = ContinuousClock.now
        #expect(try program.run().output == Array("done\n".utf8))
        #expect(ContinuousClock.now - began < .seconds(20))
    }

    /// A child that keeps all pipes open.
    @Test func childThatKeepsPipesOpenDoesNotBlock() throws {
        let program = try ScriptedProgram("sleep 1000 & echo $! > \"$HERE/child\"; echo done; echo why >&2")
        let began = ContinuousClock.now
        let printed = try program.run()
        #expect(printed.output == Array("done\n".utf8) && printed.errors == Array("why\n".utf8))
        #expect(ContinuousClock.now - began < .seconds(20))
        let child = program.line("child")
        #expect(try holds(within: .seconds(30)) { try !isAlive(child) })
    }

    @Test func thereAreBoundsToTimeAndOutput() throws {
        let flood = try ScriptedProgram("yes")
        #expect(trouble { try flood.run(output: 100_000) } == .tooMuch(limit: 100_000))
        let slow = try ScriptedProgram("while true; do echo .; sleep 0.05; done")
        #expect(
            trouble { try slow.run(silence: .seconds(20), time: .milliseconds(600)) } == .slow(.milliseconds(600)))
        let noisy = try ScriptedProgram("yes | head -c 1000000 >&2; echo ERROR: last >&2")
        let errors = try noisy.run().errors
        #expect(errors.count <= 128 << 10 && errors.suffix(5).elementsEqual("last\n".utf8))
    }

    @Test func aCancellationEndsItAtOnce() async throws {
        let program = try ScriptedProgram("sleep 1000 & echo $! > \"$HERE/child\"; sleep 1000")
        let cancellation = Cancellation()
        let run = Task { await onThread { trouble { try program.run(cancellation) } } }
        let child = await onThread { program.line("child") }
        cancellation.cancel()
        #expect(await run.value == .cancelled)
        #expect(try await onThread { try holds(within: .seconds(30)) { try !isAlive(child) } })
        #expect(trouble { try program.run(cancellation) } == .cancelled)
    }

    @Test func startErrorNamesTheReason() throws {
        let program = try ScriptedProgram("true")
        try FileManager.default.removeItem(atPath: program.path)
        #expect(trouble { try program.run() } == .notStarted(ENOENT))
    }
}
