import Dispatch
import Platform
import Synchronization
import TestSupport
import Testing

@Suite struct FoldersTests {
    private let folder = TemporaryFolder()

    /// An open folder, made here.
    private func open(_ name: String) throws -> Descriptor {
        mkdir("\(folder.path)/\(name)", 0o700)
        return try Descriptor.open("\(folder.path)/\(name)", O_RDONLY | O_DIRECTORY)
    }

    /// `renameat` would replace each of these but the folder that holds something.
    @Test func nothingIsMovedOverWhatIsThere() throws {
        let (from, to) = (try open("from"), try open("to"))
        defer { [from, to].forEach { $0.close() } }
        let (old, new) = ("\(folder.path)/from/clip", "\(folder.path)/to/clip")
        let name = Array("clip".utf8)
        try folder.write("from/clip", Array("old".utf8))
        for make in [
            { _ = mkdir(new, 0o700) },
            { _ = symlink("/nowhere", new) },
            { _ = link(old, new) },
        ] {
            make()
            #expect(Folders.move(name, from: from.number, to: to.number) == EEXIST)
            #expect(access(old, F_OK) == 0)
            #expect(remove(new) == 0)
        }
        #expect(Folders.move(name, from: from.number, to: to.number) == 0)
        #expect(access(old, F_OK) != 0 && access(new, F_OK) == 0)
        #expect(Folders.move(Array("none".utf8), from: from.number, to: to.number) == ENOENT)
    }

    @Test func oneOfTwoMovesGetsAName() throws {
        let sources = [try open("a"), try open("b")]
        let to = try open("to")
        defer { (sources + [to]).forEach { $0.close() } }
        let name = Array("clip".utf8)
        for _ in 0..<500 {
            for source in ["a", "b"] { try folder.write("\(source)/clip", []) }
            let codes = Mutex<[Int32]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                let code = Folders.move(name, from: sources[index].number, to: to.number)
                codes.withLock { $0.append(code) }
            }
            #expect(codes.withLock { $0.sorted() } == [0, EEXIST])
            #expect(remove("\(folder.path)/to/clip") == 0)
        }
    }
}
