import Foundation
import Model
import TestSupport
import Testing
import Wire

@testable import FeedServer

@Suite struct KnownTagsTests {
    private func edition(_ number: Int) -> Validators {
        Validators(node: 1, size: 1, seconds: Int64(number), nanoseconds: 0)
    }

    private func tags(_ title: String) -> ContainerTags? { ContainerTags(.init(title: title)) }

    @Test func tagsAreKnownUntilAScanMissesTheClip() {
        var known = KnownTags()
        func mustRead(_ number: UInt64, _ edition: Int = 1) -> Bool { !known.has(number, self.edition(edition)) }
        for number in UInt64(1)...3 {
            #expect(mustRead(number))
            known.note(number == 3 ? nil : tags("\(number)"), of: number, edition(1))
        }
        known.forgetUnseen()
        #expect(known.tags.mapValues(\.title) == [1: "1", 2: "2"])
        // In the middle of the next look the clips that it has yet to come to keep theirs.
        #expect(!mustRead(1))
        #expect(known.tags.count == 2)
        #expect(!mustRead(3))
        known.forgetUnseen()
        #expect(known.tags.mapValues(\.title) == [1: "1"])
        #expect(mustRead(2))
    }

    @Test func anotherEditionIsReadAndUntilThenTheLastOneHolds() {
        var known = KnownTags()
        func mustRead(_ edition: Int) -> Bool { !known.has(1, self.edition(edition)) }
        known.note(tags("old"), of: 1, edition(1))
        known.forgetUnseen()
        #expect(mustRead(2))
        // It could not be read: the next look tries again.
        known.forgetUnseen()
        #expect(known.tags[1]?.title == "old")
        #expect(mustRead(2))
        known.note(nil, of: 1, edition(2))
        known.forgetUnseen()
        #expect(known.tags.isEmpty)
        #expect(!mustRead(2))
    }
}

/// The tags of clips' files in the feed.
@Suite struct ServedTagTests {
    @Test func fieldsOfContainersBecomeThoseOfItems() throws {
        let tags = try #require(
            ContainerTags(
                .init(
                    title: " Night market ", artist: "Mira", album: "Walks", comment: "Neon.",
                    genre: "Street; Food/ (26),12,,Rain", date: "2024")))
        #expect(tags.title == "Night market" && tags.text == "Neon." && tags.topics == ["Street", "Food", "Rain"])
        #expect(tags.creator == Item.Creator(id: FolderIndex.creatorID("Mira"), name: "Mira"))
        #expect(ContainerTags(.init(title: " ", album: "Walks", genre: "(7)", date: "2024")) == nil)
        #expect(ContainerTags(.init(genre: (0..<40).map { "t\($0)" }.joined(separator: ";")))?.topics.count == 12)
    }

    /// A tenth of a second of audio. Blocks on a separate thread.
    private func clip(_ tags: [String: String]) async throws -> [UInt8] {
        try await onThread {
            let folder = TemporaryFolder()
            let fields = tags.flatMap { ["-metadata", "\($0)=\($1)"] }
            let result = try Command.run(
                ["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", "sine=d=0.1"] + fields + [
                    folder.path + "/a.mp4"
                ])
            guard result.status == 0 else { throw Command.Error(description: result.errors) }
            return Array(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.mp4")))
        }
    }

    @Test func theFeedHasThemOnceTheyAreRead() async throws {
        let named = try await clip([
            "title": "Night market", "artist": "Mira", "genre": "street;rain", "description": "Neon.",
        ])
        let sidecar = Array(#"{"title": "As its sidecar says", "tags": ["sea"]}"#.utf8)
        let served = try await ServedFolder([
            "Ana/a.mp4": named, "Ana/b.mp4": named, "Ana/b.json": sidecar, "Ana/plain.mp4": try await clip([:]),
            "Ana/damaged.mp4": Array(named.prefix(700)), "Ana/empty.mp4": [],
        ]) { $0.stills = StillOptions(decoder: MadeStillTests.program("flick-decoder"), folder: nil) }
        #expect(await served.waits { $0.topics["rain"] != nil && $0.topics["sea"] != nil })
        let items = try await served.items()
        func item(_ path: String) throws -> [String: Any] {
            try #require(items.first { $0["id"] as? String == ServedFolder.id(path) })
        }
        func creator(_ item: [String: Any]) -> String? { (item["creator"] as? [String: Any])?["name"] as? String }
        let a = try item("Ana/a.mp4")
        #expect(
            a["title"] as? String == "Night market" && creator(a) == "Mira" && a["description"] as? String == "Neon.")
        #expect(a["tags"] as? [String] == ["street", "rain"])
        // A sidecar's word goes before, and what it does not say is the file's.
        let b = try item("Ana/b.mp4")
        #expect(
            b["title"] as? String == "As its sidecar says" && creator(b) == "Mira" && b["tags"] as? [String] == ["sea"])
        for (path, title) in [("Ana/plain.mp4", "plain"), ("Ana/damaged.mp4", "damaged"), ("Ana/empty.mp4", "empty")] {
            let item = try item(path)
            #expect(item["title"] as? String == title && creator(item) == "Ana", "\(item)")
        }
        // Its creator and topics are feeds, and can be followed.
        let id = FolderIndex.creatorID("Mira")
        #expect(try await served.items("/feed.json?creator=\(id)").count == 2)
        #expect(try await served.items("/feed.json?topic=rain").count == 1)
        #expect(try await served.ask("PUT", "/creators/\(id)/follow").status == 200)
        // Another edition says something else; one that is gone says nothing.
        try served.folder.write("served/Ana/a.mp4", try await clip(["genre": "quiet"]))
        try FileManager.default.removeItem(atPath: served.path + "/Ana/b.json")
        #expect(
            await served.waits { $0.topics["quiet"] != nil && $0.topics["rain"]?.count == 1 && $0.topics["sea"] == nil }
        )
        #expect(try await served.items("/feed.json?topic=quiet").first?["title"] as? String == "a")
        await served.stop()
        #expect(!served.log.contains("decoder failed"))
    }

    /// The end of the server is that of a decoder that says nothing.
    @Test func hangingDecoderDoesNotBlock() async throws {
        let folder = TemporaryFolder()
        let decoder = try folder.write("decoder", Array("#!/bin/sh\nexec sleep 600\n".utf8))
        chmod(decoder, 0o700)
        let served = try await ServedFolder(["a.mp4": try await clip(["title": "A"])]) {
            $0.stills = StillOptions(decoder: decoder, folder: nil)
        }
        #expect(await served.waits { $0.isWhole })
        #expect(try await served.items().first?["title"] as? String == "a")
        let start = ContinuousClock.now
        await served.stop()
        #expect(.now - start < .seconds(8))
    }
}
