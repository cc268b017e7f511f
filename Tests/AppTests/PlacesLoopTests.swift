import Feeds
import Foundation
import Model
import TestSupport
import Testing

@testable import App
@testable import UI

/// The sheet of all places, in the loop with a list of sources.
@MainActor @Suite(.serialized, .timeLimit(.minutes(2))) struct PlacesLoopTests {
    private func clips(_ stage: LoopStage, _ folder: String, _ names: [String]) throws -> String {
        for name in names { _ = try stage.folder.write("\(folder)/\(name).mp4") }
        return stage.folder.path + "/" + folder
    }

    private func sources(_ stage: LoopStage) -> String {
        (try? String(contentsOfFile: stage.folder.path + "/config.toml.sources", encoding: .utf8)) ?? ""
    }

    @Test func sourcesAreAddedWeighedAndRemoved() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        let otters = try clips(stage, "otters", ["a", "b", "c"])
        try stage.type("pa\(otters)\r")
        #expect(stage.wait { sources(stage) == otters + "\n" })
        #expect(stage.wait { stage.state.feed.places.all.contains(.home) })
        #expect(stage.state.toasts.current?.text.text.hasPrefix("Added: ") == true)
        try stage.type("p")
        #expect(stage.wait { stage.state.feed.placeList.sources.map(\.unseen) == [3] })
        #expect(stage.state.feed.placeList.counts[.home] == 3)
        // The source stands before the last line.
        try stage.type("Gk+")
        #expect(stage.wait { sources(stage) == otters + "\n  weight = 2\n" })
        try stage.type("d")
        #expect(stage.wait { sources(stage).isEmpty })
        #expect(stage.wait { !stage.state.feed.places.all.contains(.home) })
        try stage.type("\u{1B}U")
        #expect(stage.wait { sources(stage) == otters + "\n  weight = 2\n" })
        // Home has its clips.
        #expect(stage.wait { stage.state.feed.places.all.contains(.home) })
        try stage.type("p")
        let line = stage.state.placeLines.firstIndex(of: .place(.home)) ?? 0
        try stage.type("g" + String(repeating: "j", count: line) + "\r")
        #expect(stage.wait { stage.state.feed.places.current == .home && stage.state.items.count == 3 })
    }

    @Test func sourceThatIsNotThereIsNotAdded() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        try stage.type("pa/nowhere/at/all\r")
        #expect(stage.wait { stage.state.toasts.current?.text.text.hasPrefix("cannot add /nowhere") == true })
        #expect(sources(stage).isEmpty)
    }

    @Test func sourceIsShownAlone() throws {
        let stage = try LoopStage(library: true)
        defer { stage.close() }
        stage.start()
        stage.run(for: .seconds(1))
        let otters = try clips(stage, "otters", ["a", "b", "c"])
        try stage.type("pa\(otters)\r")
        #expect(stage.wait { stage.state.feed.places.all.contains(.home) })
        try stage.type("p")
        #expect(stage.wait { stage.state.feed.placeList.sources.count == 1 })
        try stage.type("Gk\r")
        #expect(stage.wait { stage.state.items.count == 3 && stage.state.feed.places.current == .source })
    }
}
