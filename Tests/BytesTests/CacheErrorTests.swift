import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Bytes
@testable import Cache

@Suite struct CacheErrorTests {
    let cache = CacheFixture()

    private func index(_ store: AssetStore? = nil) throws -> CacheIndex {
        try CacheIndex(path: cache.path + "/index.db")
    }

    @Test func aCacheOfAnotherVersionIsDroppedWholeAndReportedOnce() throws {
        _ = cache.store().make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0)
        try index().setVersion(77)
        #expect(try cache.inspection().status().version == 77)
        let store = cache.store()
        #expect(store.asset(key("a")) == nil && cache.files.isEmpty)
        #expect(store.make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0) == true)
        #expect(cache.store().asset(key("a")) != nil)
        #expect(cache.said == ["the cache was written by another version and was reset; clips are downloaded again"])
    }

    @Test func aCacheOfAnotherKeyIsDroppedWhole() throws {
        var options = cache.options
        for key32 in [nil, pattern(32, seed: 1), pattern(32, seed: 2), nil] {
            options.key = key32
            let store = cache.store(options)
            #expect(store.asset(key("a")) == nil && cache.files.isEmpty)
            #expect(store.make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1, 2], at: 0) == true)
            #expect(cache.store(options).asset(key("a"))?.read(9) == [1, 2])
        }
        #expect(cache.said.isEmpty)
    }

    @Test func aDamagedIndexIsReplaced() throws {
        _ = cache.store().make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0)
        for suffix in ["-wal", "-shm"] { unlink(cache.path + "/index.db" + suffix) }
        try cache.parent.write("cache/index.db", pattern(20_000))
        let store = cache.store()
        #expect(store.make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0) == true)
        #expect(cache.said.count == 1 && cache.said[0].hasPrefix("the cache was damaged (file is not a database)"))
    }

    /// A folder that the user named, but meant for something else.
    @Test(arguments: ["CREATE TABLE notes (x)", "PRAGMA application_id = 77"])
    func foreignDatabaseAndFilesAreLeftAlone(statement: String) throws {
        let picture = try cache.parent.write("cache/assets/logo.png", [1, 2, 3])
        let old = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
        utimensat(AT_FDCWD, picture, old, 0)
        let path = cache.path + "/index.db"
        let made = try Command.run([
            "python3", "-c", "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()",
            path, statement,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let store = cache.store()
        #expect(store.make(key("a"), facts: AssetFacts(), retention: .lasting) == nil)
        store.sweep()
        #expect(cache.said.count == 1 && cache.said[0].contains("another program's database"), "\(cache.said)")
        #expect(throws: (any Error).self) { try cache.inspection().clear() }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(FileManager.default.fileExists(atPath: picture))
    }

    @Test func sweepLeavesForeignFiles() throws {
        let store = cache.store()
        let picture = try cache.parent.write("cache/assets/logo.png", [1, 2, 3])
        let old = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
        utimensat(AT_FDCWD, picture, old, 0)
        store.sweep()
        #expect(FileManager.default.fileExists(atPath: picture))
    }

    @Test func removedIndexIsRecreated() throws {
        let store = cache.store()
        #expect(store.make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0) == true)
        for suffix in ["", "-wal", "-shm"] { unlink(cache.path + "/index.db" + suffix) }
        #expect(store.make(key("b"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0) != true)
        #expect(store.make(key("c"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0) == true)
        #expect(cache.store().asset(key("c"))?.read(9) == [1])
    }

    @Test func anIndexDamagedDuringUseIsReplacedOnce() throws {
        let store = cache.store()
        let old = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        #expect(old.save([1], at: 0))
        try index().dropTable("piece")
        #expect(!old.save([2], at: 1))
        #expect(old.read(9) == [])
        let new = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        #expect(new.save([3], at: 0) && new.read(9) == [3])
        #expect(cache.said.count == 1)
    }

    @Test func invalidValuesInTheIndexAreIgnored() throws {
        let store = cache.store()
        let asset = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        #expect(asset.save([1, 2, 3], at: 0))
        let edition = asset.edition
        for sql in [
            "INSERT INTO piece VALUES (\(edition), 9223372036854775807, 9223372036854775807, x'0000000000000000')",
            "INSERT INTO piece VALUES (\(edition), -5, 3, x'0000000000000000')",
            "INSERT INTO piece VALUES (\(edition), 1, 5, x'0000000000000000')",
            "INSERT INTO piece VALUES (\(edition), 100, 5, 'text')",
            "INSERT INTO piece VALUES (\(edition), 'x', 'y', 'z')",
            "INSERT INTO piece VALUES (\(edition), 200, 99999999999, x'00')",
            "INSERT INTO asset SELECT 5, '../../etc/passwd', url, length, type, etag, modified, ranged, shelf, bytes, made, used FROM asset WHERE edition = \(edition)",
            "INSERT INTO asset SELECT 6, hash || '0', url, length, type, etag, modified, ranged, 'nowhere', -9223372036854775808, made, used FROM asset WHERE edition = \(edition)",
        ] { try index().run(sql) }
        let again = try #require(cache.store().asset(key("a")))
        #expect(again.read(9) == [1, 2, 3])
        #expect(again.save([4], at: 3) && again.read(9) == [1, 2, 3, 4])
        #expect(try cache.inspection().entries().count == 1)
    }

    @Test(arguments: ["'much'", "-1", "-9223372036854775808"])
    func anIndexWithAWrongTotalIsReplacedAndCanBeCleared(held: String) throws {
        let store = cache.store()
        let asset = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        #expect(asset.save([1], at: 0))
        try index().run("UPDATE cache SET held = \(held)")
        #expect(try cache.inspection().clear() == 0)
        #expect(try cache.inspection().entries().isEmpty)
        #expect(cache.store().make(key("a"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0) == true)
        try index().run("UPDATE cache SET held = \(held)")
        let next = cache.store()
        // The first caller finds out.
        _ = next.make(key("b"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0)
        #expect(next.make(key("b"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0) == true)
    }

    @Test func aFullDiskEvictsAndThenStopsSaving() throws {
        let room = Mutex(2)
        let store = cache.store { descriptor, bytes, offset in
            let isFull = room.withLock { left in
                left -= 1
                return left < 0
            }
            return isFull ? ENOSPC : SparseFile.writeAll(descriptor, bytes, offset)
        }
        let first = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        #expect(first.save([1], at: 0) && first.save([2], at: 5))
        #expect(!first.save([3], at: 10) && !first.save([4], at: 20))
        #expect(store.make(key("b"), facts: AssetFacts(), retention: .lasting) == nil)
        #expect(
            cache.said == [
                "cannot cache clips: the disk is full; free some space, or pass --cache-dir"
            ])
    }

    @Test func roomThatAnEvictionMakesIsUsed() throws {
        let fullOnce = Mutex(false)
        let store = cache.store { descriptor, bytes, offset in
            let isFull = fullOnce.withLock { isFull in
                defer { isFull = false }
                return isFull
            }
            return isFull ? ENOSPC : SparseFile.writeAll(descriptor, bytes, offset)
        }
        _ = store.make(key("old"), facts: AssetFacts(), retention: .lasting)?.save(pattern(1000), at: 0)
        cache.pass(10)
        let asset = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        fullOnce.withLock { $0 = true }
        #expect(asset.save([1], at: 0) && cache.said.isEmpty)
        #expect(store.asset(key("old")) == nil)
    }

    @Test func aRefusedSaveStillWritesLastUses() throws {
        let (one, two) = (cache.store(), cache.store())
        _ = one.make(key("a"), facts: AssetFacts(), retention: .lasting)
        let replaced = try #require(one.make(key("b"), facts: AssetFacts(), retention: .lasting))
        cache.pass(50)
        _ = try #require(one.asset(key("a")))
        _ = try #require(two.make(key("b"), facts: AssetFacts(), retention: .lasting))
        #expect(!replaced.save([1], at: 0))
        one.writeUses()
        #expect(try index().rows().first { $0.hash == key("a").hash }?.used == 1_000_050)
    }

    @Test func lastUsesThatCouldNotBeWrittenAreWrittenWithTheNextChange() throws {
        let store = cache.store()
        let edition = try #require(store.make(key("a"), facts: AssetFacts(), retention: .home)).edition
        store.use(edition, at: 7, on: .lasting)
        #expect(throws: (any Error).self) { try store.noting { _ in throw CacheError.busy } }
        store.use(1, at: 8)
        try store.noting { uses in #expect(uses.assets == [edition: 7, 1: 8] && uses.lasting == [edition]) }
        try store.noting { #expect($0.isEmpty) }
    }

    @Test func cacheLockedAtTheStartIsUsedOnceReleased() throws {
        _ = cache.store().make(key("a"), facts: AssetFacts(), retention: .lasting)
        let other = try index()
        try other.run("PRAGMA locking_mode = EXCLUSIVE")
        try other.run("UPDATE cache SET held = held")
        let store = cache.store()
        #expect(store.asset(key("a")) == nil)
        #expect(store.make(key("b"), facts: AssetFacts(), retention: .lasting) == nil)
        #expect(cache.said == ["cannot cache clips yet: another program has locked '\(cache.path)'"])
        other.close()
        #expect(holds(within: .seconds(20)) { store.asset(key("a")) != nil })
        #expect(store.make(key("b"), facts: AssetFacts(), retention: .lasting)?.save([1], at: 0) == true)
        #expect(cache.said.count == 1)
    }

    @Test func aFolderThatIsRemovedIsReportedOnce() throws {
        let store = cache.store()
        let asset = try #require(store.make(key("a"), facts: AssetFacts(), retention: .lasting))
        #expect(asset.save([1, 2], at: 0))
        try FileManager.default.removeItem(atPath: cache.path)
        #expect(asset.read(9) == [1, 2])
        // Bytes written to it now would be lost.
        #expect(!asset.save([3], at: 2))
        #expect(store.make(key("b"), facts: AssetFacts(), retention: .lasting) == nil)
        #expect(store.make(key("c"), facts: AssetFacts(), retention: .lasting) == nil && store.asset(key("d")) == nil)
        store.writeUses()
        #expect(cache.said.count == 1 && cache.said[0].hasPrefix("cannot cache clips: "), "\(cache.said)")
    }

    @Test func aFolderThatCannotBeMadeIsReportedOnce() throws {
        try cache.parent.write("cache", [1])
        let store = cache.store()
        #expect(store.asset(key("a")) == nil && store.make(key("a"), facts: AssetFacts(), retention: .lasting) == nil)
        store.setText(.outline, [1], for: key("a"))
        #expect(store.text(.outline, for: key("a"))?.bytes == nil)
        #expect(
            cache.said == ["cannot cache clips: '\(cache.path)': not a directory; they are downloaded each time"])
    }

    @Test func aReadOnlyFolderIsReportedOnce() throws {
        chmod(cache.parent.path, 0o500)
        defer { chmod(cache.parent.path, 0o700) }
        let made = OrdinaryUser.runs(owning: cache.parent.path) {
            cache.store().make(key("a"), facts: AssetFacts(), retention: .lasting)
        }
        #expect(made == nil)
        #expect(
            cache.said == [
                "cannot cache clips: '\(cache.path)': permission denied; they are downloaded each time"
            ])
    }

    @Test func aKeyOfTheWrongSizeIsReported() {
        var options = cache.options
        options.key = [1, 2, 3]
        #expect(cache.store(options).make(key("a"), facts: AssetFacts(), retention: .lasting) == nil)
        #expect(
            cache.said == ["cannot cache clips: the key must be 32 bytes long; they are downloaded each time"]
        )
    }
}

extension CacheIndex {
    /// flick itself never does this.
    fileprivate func setVersion(_ version: Int) throws { try run("PRAGMA user_version = \(version)") }
    fileprivate func dropTable(_ name: String) throws { try run("DROP TABLE \(name)") }
}
