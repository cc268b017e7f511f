import Feeds
import Testing

@testable import FeedServer

@Suite struct FolderIndexTests {
    private func paths(_ names: [String]) -> PathList {
        var list = PathList()
        for name in names { _ = list.append(name.utf8) }
        list.sortNaturally()
        return list
    }

    private func index(_ names: [String]) -> FolderIndex { FolderIndex(paths: paths(names), isWhole: true) }

    private func names(_ index: FolderIndex, _ places: [Int]) -> [String] {
        places.map { String(decoding: index.paths.relativePath(at: $0), as: UTF8.self) }
    }

    @Test func idsDependOnlyOnPaths() throws {
        let (small, large) = (index(["b/x.mp4"]), index(["a.mp4", "b/x.mp4", "c.mp4"]))
        #expect(small.id(at: 0) == large.id(at: 1))
        for place in 0..<3 { #expect(large.index(ofID: large.id(at: place)) == place) }
        for id in [
            "", "x", "0123456789abcdef", large.id(at: 0).uppercased(), large.id(at: 0) + "0", "0" + large.id(at: 0),
        ] {
            #expect(large.index(ofID: id) == nil)
        }
    }

    @Test func pagesFollowEachOtherWhenFilesComeAndGo() {
        let all = (1...50).map { "clip \($0).mp4" }
        let first = index(all).page(after: nil, limit: 10, topic: nil, creator: nil)
        #expect(names(index(all), first.items) == Array(all[..<10]) && first.hasMore)
        // The last item of the page is deleted, and others come before and after it.
        let changed = index(all.filter { $0 != "clip 10.mp4" } + ["clip 9 b.mp4", "clip 10x.mp4", "a.mp4"])
        let second = changed.page(after: Array("clip 10.mp4".utf8), limit: 3, topic: nil, creator: nil)
        #expect(names(changed, second.items) == ["clip 10x.mp4", "clip 11.mp4", "clip 12.mp4"])
        let last = changed.page(after: Array("clip 50.mp4".utf8), limit: 3, topic: nil, creator: nil)
        #expect(last.items.isEmpty && !last.hasMore)
    }

    @Test func creatorsAreFoldersAndTopicsAreTags() throws {
        let list = paths(["Ann/1.mp4", "Ann/deep/2.mp4", "Bob/1.mp4", "Bob/2.mp4", "bob/2.mp4", "root.mp4"])
        let places = Dictionary(
            uniqueKeysWithValues: (0..<6).map {
                (String(decoding: list.relativePath(at: $0), as: UTF8.self), UInt32($0))
            })
        let index = FolderIndex(
            paths: list, isWhole: true,
            facts: [
                places["Ann/1.mp4"]!: .init(tags: ["sea", "sea"], creator: nil),
                places["root.mp4"]!: .init(tags: ["sea"], creator: .init(id: "zoe", name: "Zoë")),
                // A sidecar overrides the folder.
                places["Bob/2.mp4"]!: .init(tags: [], creator: .init(id: "zoe", name: "Zoë")),
            ])
        func creator(_ id: String) -> [String] {
            names(index, index.page(after: nil, limit: 10, topic: nil, creator: id).items)
        }
        #expect(creator(FolderIndex.creatorID("Ann")) == ["Ann/1.mp4", "Ann/deep/2.mp4"])
        #expect(creator(FolderIndex.creatorID("Bob")) == ["Bob/1.mp4"])
        #expect(creator(FolderIndex.creatorID("bob")) == ["bob/2.mp4"])
        #expect(Set(creator("zoe")) == ["Bob/2.mp4", "root.mp4"] && creator("nobody").isEmpty)
        #expect(index.hasCreator("zoe") && !index.hasCreator("nobody"))
        let sea = index.page(after: nil, limit: 10, topic: "sea", creator: nil)
        #expect(Set(names(index, sea.items)) == ["Ann/1.mp4", "root.mp4"])
        #expect(names(index, index.page(after: nil, limit: 10, topic: "sea", creator: "zoe").items) == ["root.mp4"])
        let second = index.page(after: Array(list.relativePath(at: sea.items[0])), limit: 1, topic: "sea", creator: nil)
        #expect(second.items == [sea.items[1]] && !second.hasMore)
    }
}
