import Platform
import Testing

@testable import Screen

@Suite struct SharedPicturesTests {
    @Test func pictureThatTheTerminalHasReadMakesRoom() throws {
        let memory = SharedPictures()
        defer { memory.removeAll() }
        let names = try (0..<2).map { _ in try #require(memory.store(16) { _ in }) }
        shm_unlink(names[0])
        #expect(memory.store(16) { _ in } != nil)
    }
}
