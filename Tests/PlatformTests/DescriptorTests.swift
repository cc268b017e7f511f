import Platform
import TestSupport
import Testing
import Threads

@Suite struct DescriptorTests {
    private let folder = TemporaryFolder()

    @Test func bytesComeBackFromTheirOffsets() throws {
        let file = try Descriptor.open("\(folder.path)/file", O_RDWR | O_CREAT)
        defer { file.close() }
        try file.write(Array("beginning".utf8))
        try Array("end".utf8).withUnsafeBytes { try file.write($0, at: 20) }
        var bytes = [UInt8](repeating: 1, count: 100)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 5) }
        #expect(bytes[..<count] == Array("ning".utf8 + [UInt8](repeating: 0, count: 11) + "end".utf8)[...])
        var facts = stat()
        #expect(fstat(file.number, &facts) == 0 && facts.st_mode & 0o777 == 0o600 && facts.st_size == 23)
        #expect(facts.modified.tv_sec > 0)
    }

    @Test func errorsNameTheCall() {
        #expect(throws: SystemError("open", ENOENT)) { try Descriptor.open("\(folder.path)/none", O_RDONLY) }
        #expect(SystemError("open", ENOENT).description == "open: no such file or directory")
        #expect(throws: SystemError("write", EBADF)) { try Descriptor(-1).write([1]) }
    }

    /// More than a pipe has room for, into one that does not wait.
    @Test func writingWaitsForRoom() throws {
        let pipe = try Pipe(waits: false)
        let all = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        // `try?`: what did not come through is missed below.
        BlockingThread.start { try? pipe.writing.write(all) }
        var read: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 70_000)
        while read.count < all.count, pipe.reading.isReady(POLLIN, within: .seconds(20)) {
            let count = buffer.withUnsafeMutableBytes { pipe.reading.readSome(into: $0) }
            guard count > 0 else { break }
            read += buffer[..<count]
        }
        #expect(read == all)
    }

    @Test func wakeIsTakenBack() throws {
        let pipe = try Pipe(waits: false)
        #expect(!pipe.reading.isReady(POLLIN, within: .zero))
        for _ in 0..<40 { pipe.wake() }
        #expect(pipe.reading.isReady(POLLIN, within: .zero))
        pipe.clear()
        #expect(!pipe.reading.isReady(POLLIN, within: .zero))
    }
}
