import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Feeds

/// Which clips count as new and whole. Pure.
@Suite struct FolderArrivalTests {
    private func list(_ names: [String], root: String = "/v/") -> PathList {
        var list = PathList(root: Array(root.utf8))
        for name in names { _ = list.append(name.utf8) }
        return list
    }

    private func names(_ change: FolderArrivals.Change) -> [String] {
        change.new.map { String(decoding: $0.path, as: UTF8.self) }
    }

    private func id(_ path: String) -> Item.ID { ItemID.hash(of: FileURL.url(path: path.utf8)) }

    private func size(_ size: Int64, isLink: Bool = false) -> ([UInt8]) -> FolderArrivals.Facts? {
        { _ in FolderArrivals.Facts(size: size, isLink: isLink) }
    }

    @Test func closedClipIsCompleteAndOpenOneIsNot() {
        var arrivals = FolderArrivals([list(["a.mp4"])])
        let found = [list(["a.mp4", "c 10.mp4", "c 9.mp4", "open.mp4"])]
        var writing: [[UInt8]: FolderWatch.Writing] = [
            Array("/v/c 10.mp4".utf8): .done, Array("/v/c 9.mp4".utf8): .done, Array("/v/open.mp4".utf8): .underWay,
        ]
        let first = arrivals.walked(found, writing: { writing[$0] }, facts: size(5))
        #expect(names(first) == ["/v/c 9.mp4", "/v/c 10.mp4"] && first.lost.isEmpty)
        // However long its writer takes.
        for _ in 0..<5 {
            #expect(!arrivals.wantsLook && arrivals.look(size(5)).isEmpty)
            #expect(arrivals.walked(found, writing: { writing[$0] }, facts: size(5)).isEmpty)
        }
        writing[Array("/v/open.mp4".utf8)] = .done
        #expect(names(arrivals.walked(found, writing: { writing[$0] }, facts: size(5))) == ["/v/open.mp4"])
        writing = [:]
        #expect(arrivals.walked(found, writing: { writing[$0] }, facts: size(5)).isEmpty)
    }

    @Test func withoutAWordOfTheWriterTwoLooksOfOneSizeAreNeeded() {
        var arrivals = FolderArrivals([list([])])
        let found = [list(["a.mp4"])]
        #expect(arrivals.walked(found, writing: { _ in nil }, facts: size(5)).isEmpty && arrivals.wantsLook)
        #expect(arrivals.look(size(6)).isEmpty)
        // Another walk is no look: it may follow at once.
        #expect(arrivals.walked(found, writing: { _ in nil }, facts: size(6)).isEmpty)
        #expect(names(arrivals.look(size(6))) == ["/v/a.mp4"] && !arrivals.wantsLook)
        #expect(arrivals.walked(found, writing: { _ in nil }, facts: size(9)).isEmpty)
    }

    @Test func anEmptyFileWaitsAndOneThatGoesIsForgotten() {
        var arrivals = FolderArrivals([list([])])
        #expect(arrivals.walked([list(["a.mp4"])], writing: { _ in nil }, facts: size(0)).isEmpty)
        #expect(arrivals.look(size(0)).isEmpty && arrivals.wantsLook)
        #expect(arrivals.look { _ in nil }.isEmpty && !arrivals.wantsLook)
        // `touch`, and later a copy over it.
        #expect(arrivals.walked([list(["b.mp4"])], writing: { _ in .done }, facts: size(0)).isEmpty)
        #expect(!arrivals.wantsLook)
        #expect(names(arrivals.walked([list(["b.mp4"])], writing: { _ in .done }, facts: size(3))) == ["/v/b.mp4"])
        // It was never shown, so it is not lost.
        #expect(arrivals.walked([list(["b.mp4"])], writing: { _ in nil }, facts: size(0)).isEmpty)
    }

    @Test func aLinkHasNoWriter() {
        var arrivals = FolderArrivals([list([])])
        let change = arrivals.walked([list(["a.mp4"])], writing: { _ in .underWay }, facts: size(5, isLink: true))
        #expect(names(change) == ["/v/a.mp4"])
    }

    @Test func deletedClipIsLostAndMayReturn() {
        var arrivals = FolderArrivals([list(["a.mp4", "b.mp4"]), list(["x.mp4"], root: "/w/")])
        let less = [list(["b.mp4"]), list([], root: "/w/")]
        let change = arrivals.walked(less, writing: { _ in nil }, facts: size(1))
        #expect(change.lost == [id("/v/a.mp4"), id("/w/x.mp4")] && change.new.isEmpty)
        #expect(arrivals.walked(less, writing: { _ in nil }, facts: size(1)).isEmpty)
        let again = arrivals.walked([list(["a.mp4"]), list([])], writing: { _ in .done }, facts: size(1))
        #expect(names(again) == ["/v/a.mp4"] && again.lost == [id("/v/b.mp4")])
    }

    /// A folder and one in it are both sources.
    @Test func aClipOfTwoFoldersIsNewOnce() {
        var arrivals = FolderArrivals([list([]), list([], root: "/v/in/")])
        let found = [list(["in/a.mp4"]), list(["a.mp4"], root: "/v/in/")]
        #expect(names(arrivals.walked(found, writing: { _ in .done }, facts: size(1))) == ["/v/in/a.mp4"])
        #expect(arrivals.walked(found, writing: { _ in nil }, facts: size(1)).isEmpty)
    }

    @Test func anAmendedListKeepsPlaces() {
        let base = (0..<6).map { Item(id: "\($0)", url: "file:///\($0)") }
        var amended = AmendedList(base, root: Array("/v/".utf8))
        func ids() -> [Item.ID] { (0..<amended.count).map { amended[$0].id } }
        func clip(_ path: String) -> FolderArrivals.Clip { FolderArrivals.Clip(path: Array(path.utf8)) }
        amended.append([clip("/v/x.mp4"), clip("/v/deep/y.mp4")])
        let (x, y) = (id("/v/x.mp4"), id("/v/deep/y.mp4"))
        #expect(ids() == ["0", "1", "2", "3", "4", "5", x, y])
        #expect((0..<8).map { amended.id(at: $0) } == ids())
        #expect(amended[6].folder == nil && amended[7].folder == "deep")
        let earlier = amended
        amended.remove(["1", "4", x, "none"])
        #expect(ids() == ["0", "2", "3", "5", y] && (0..<5).map { amended.id(at: $0) } == ids())
        amended.append([clip("/v/x.mp4")])
        amended.remove(["0"])
        #expect(ids() == ["2", "3", "5", y, x])
        #expect(earlier.count == 8 && earlier[6].id == x)
        #expect(amended.index(of: "5", near: 4) == 2 && amended.index(of: "0", near: 0) == nil)
    }
}

/// Folders that change while they are followed.
@Suite struct FolderFollowerTests {
    let folder = TemporaryFolder()

    /// The reports so far.
    private struct Reports {
        var names: [String] = []
        var new: [Int] = []
        var lost = 0
    }

    private func names(_ items: any ItemList) -> [String] {
        (0..<items.count).map { String(items[$0].url.split(separator: "/").last ?? "") }
    }

    private func follow(
        usesInotify: Bool = true, _ body: (_ waits: ((Reports) -> Bool) -> Bool, Monitor<Reports>) throws -> Void
    ) throws {
        let feed = try loadFeed(sources: [folder.path])
        let reports = Monitor(Reports(names: names(feed.items)))
        let follower = FolderFollower(feed.folders, items: feed.items, usesInotify: usesInotify)
        follower.begin { [self] change in
            let names = names(change.items)
            reports.change { reports in
                reports.names = names
                reports.lost += change.lost
                if change.new > 0 { reports.new.append(change.new) }
            }
        }
        defer { follower.end() }
        try body({ fits in reports.wait(upTo: .seconds(30)) { fits($0) ? () : nil } != nil }, reports)
    }

    @Test func copiedClipAppearsOnceComplete() async throws {
        try folder.write("b.mp4", [1])
        try folder.write("c.mp4", [1])
        try await onThread {
            try follow { waits, reports in
                // From then on the folder is watched.
                try folder.write("first.mp4", [1])
                #expect(waits { $0.names == ["b.mp4", "c.mp4", "first.mp4"] })
                let path = folder.path + "/a.mp4"
                let copy = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
                try #require(copy >= 0 && write(copy, "half", 4) == 4)
                // Once a later complete clip is reported, this one was seen, too.
                try folder.write("z.mp4", [1])
                #expect(waits { $0.names == ["b.mp4", "c.mp4", "first.mp4", "z.mp4"] })
                try #require(write(copy, "rest", 4) == 4 && close(copy) == 0)
                #expect(waits { $0.names == ["b.mp4", "c.mp4", "first.mp4", "z.mp4", "a.mp4"] })
                #expect(reports.withLock(\.new) == [1, 1, 1] && reports.withLock(\.lost) == 0)
            }
        }
    }

    @Test func filesThatGoAndMoveAndFoldersThatComeAreSeen() async throws {
        for name in ["a.mp4", "b.mp4", "sub/c.mp4"] { try folder.write(name, [1]) }
        try await onThread {
            try follow { waits, _ in
                try #require(unlink(folder.path + "/a.mp4") == 0)
                #expect(waits { $0.names == ["b.mp4", "c.mp4"] })
                try #require(rename(folder.path + "/b.mp4", folder.path + "/moved.mp4") == 0)
                #expect(waits { $0.names == ["c.mp4", "moved.mp4"] })
                try folder.write("new/deep/d.mp4", [1])
                #expect(waits { $0.names == ["c.mp4", "moved.mp4", "d.mp4"] })
                try folder.write("d.json", #"{"title": "named"}"#.utf8)
                try folder.link("l.mp4", to: "moved.mp4")
                #expect(waits { $0.names == ["c.mp4", "moved.mp4", "d.mp4", "l.mp4"] })
                try folder.write(".hidden.mp4", [1])
                try folder.write(".flickignore", "moved.mp4\n".utf8)
                #expect(waits { $0.names == ["c.mp4", "d.mp4", "l.mp4"] })
            }
        }
    }

    @Test func withoutInotifyTheSizeDecides() async throws {
        try folder.write("a.mp4", [1])
        try await onThread {
            try follow(usesInotify: false) { waits, _ in
                try folder.write("sub/b.mp4", [1])
                #expect(waits { $0.names == ["a.mp4", "b.mp4"] })
                try #require(unlink(folder.path + "/a.mp4") == 0)
                #expect(waits { $0.names == ["b.mp4"] })
            }
        }
    }

    /// A change between reading a folder and following it is not lost.
    @Test func changesBeforeFollowingAreFound() async throws {
        try folder.write("a.mp4", [1])
        let feed = try loadFeed(sources: [folder.path])
        try folder.write("b.mp4", [1])
        let count = Monitor(0)
        let follower = FolderFollower(feed.folders, items: feed.items)
        follower.begin { change in count.change { $0 = change.items.count } }
        #expect(await onThread { count.wait(upTo: .seconds(30)) { $0 == 2 ? true : nil } ?? false })
        follower.end()
    }

    @Test func sidecarsThatCameWithAClipAreRead() async throws {
        try folder.write("a.mp4", [1])
        let feed = try loadFeed(sources: [folder.path])
        try folder.write("b.json", #"{"title": "named"}"#.utf8)
        try folder.write("b.mp4", [1])
        let title = Monitor<String?>(nil)
        let follower = FolderFollower(feed.folders, items: feed.items)
        follower.begin { change in title.change { $0 = change.items[1].title } }
        #expect(await onThread { title.wait(upTo: .seconds(30)) { $0 } } == "named")
        follower.end()
    }
}
