#if os(Linux)
    import Foundation
    import Platform
    import TestSupport
    import Testing

    @testable import Screen

    /// The question whether the terminal can read pictures from shared memory.
    extension TerminalTests {
        /// The object in shared memory that the terminal is asked to read.
        private func questionsObject() throws -> String {
            let question = try #require(pty.written().split(separator: "_Gi=32,").last)
            let name = try #require(question.split(separator: ";").dropFirst().first?.prefix { $0 != "\u{1B}" })
            let bytes = try #require(Data(base64Encoded: String(name)))
            return "/dev/shm" + String(decoding: bytes, as: UTF8.self)
        }

        /// A terminal that reads it removes it. Others may not answer at all.
        @Test func probeObjectIsRemovedAfterASecondWithoutAnAnswer() throws {
            let terminal = try open()
            defer { terminal.restore() }
            let object = try questionsObject()
            #expect(access(object, F_OK) == 0)
            let wake = try #require(terminal.nextWake(now: .seconds(5)))
            #expect(wake > .seconds(5) && wake <= .seconds(6))
            let isGone = holds(within: .seconds(10)) {
                _ = terminal.events(now: .zero)
                return access(object, F_OK) != 0
            }
            #expect(isGone && terminal.nextWake(now: .zero) == nil)
        }

        @Test func probeObjectIsRemovedWithTheAnswer() throws {
            let terminal = try open()
            defer { terminal.restore() }
            let object = try questionsObject()
            try pty.type("\u{1B}[?62c")
            _ = terminal.events(now: .zero)
            #expect(access(object, F_OK) != 0 && terminal.nextWake(now: .zero) == nil)
        }

        /// A terminal that has just begun, on a busy machine.
        @Test(arguments: [true, false]) func terminalThatLookedTooLateIsAskedOnceMore(canReadIt: Bool) throws {
            let terminal = try open()
            defer { terminal.restore() }
            let first = try questionsObject()
            let isGone = holds(within: .seconds(10)) {
                _ = terminal.events(now: .zero)
                return access(first, F_OK) != 0
            }
            #expect(isGone)
            for answer in ["\u{1B}_Gi=31;OK\u{1B}\\\u{1B}_Gi=32;EBADF:no such file\u{1B}\\", "\u{1B}[?62c"] {
                try pty.type(answer)
                _ = terminal.events(now: .zero)
            }
            #expect(terminal.capabilities.readsSharedMemory == false)
            let second = try questionsObject()
            #expect(access(second, F_OK) == 0)
            if canReadIt { unlink(second) }
            try pty.type("\u{1B}_Gi=32;\(canReadIt ? "OK" : "EBADF:no")\u{1B}\\\u{1B}[?62c")
            _ = terminal.events(now: .zero)
            #expect(terminal.capabilities.readsSharedMemory == canReadIt && !pty.written().contains("_Gi=32"))
            #expect(access(second, F_OK) != 0)
            // No answer is awaited any more, so Alt+_, with which one would begin, is a key as soon as ever.
            try pty.type("\u{1B}_")
            _ = terminal.events(now: .milliseconds(10))
            #expect(terminal.nextWake(now: .milliseconds(10)) == .milliseconds(35))
        }

        @Test func terminalThatCannotReadMemoryIsNotAskedAgain() throws {
            let terminal = try open()
            defer { terminal.restore() }
            _ = pty.written()
            try pty.type("\u{1B}_Gi=31;OK\u{1B}\\\u{1B}_Gi=32;EBADF:no\u{1B}\\\u{1B}[?62c")
            _ = terminal.events(now: .zero)
            #expect(!pty.written().contains("_Gi=32"))
        }

        /// A process killed with `kill -9` cannot clean up.
        @Test func startRemovesObjectsOfKilledProcesses() throws {
            let name = UUID().uuidString
            let (old, fresh, other) = ("/dev/shm/flick-\(name)", "/dev/shm/flick-\(name)-1", "/dev/shm/flicks-\(name)")
            defer { for path in [old, fresh, other] { unlink(path) } }
            for path in [old, fresh, other] {
                try #require(FileManager.default.createFile(atPath: path, contents: Data([0, 0, 0])))
            }
            for path in [old, other] {
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -20)], ofItemAtPath: path)
            }
            let terminal = try open()
            defer { terminal.restore() }
            #expect(access(old, F_OK) != 0 && access(fresh, F_OK) == 0 && access(other, F_OK) == 0)
        }
    }
#endif
