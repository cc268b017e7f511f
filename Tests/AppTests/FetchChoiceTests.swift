import Model
import Testing

@testable import App

@Suite struct FetchChoiceTests {
    /// `seen`: the items of a feed, in its order, by whether they were seen.
    private func choice(limit: Int, _ seen: Bool...) -> FetchChoice {
        var choice = FetchChoice(limit: limit)
        for (place, wasSeen) in seen.enumerated() where !choice.isComplete {
            choice.add(Item(id: "\(place)", url: "file:///\(place).mp4"), wasSeen: wasSeen)
        }
        return choice
    }

    @Test func unseenItemsComeFirst() {
        let choice = choice(limit: 3, true, false, true, false)
        #expect(choice.items.map(\.id) == ["1", "3", "0"])
        #expect(choice.summary == "2 new; 1 watched before")
    }

    @Test func enoughUnseenItemsNeedNoOthers() {
        let choice = choice(limit: 2, true, false, true, false, false)
        #expect(choice.items.map(\.id) == ["1", "3"])
        #expect(choice.isComplete && choice.summary == nil)
    }

    @Test func ofAFeedThatWasSeenTheFirstAreTaken() {
        let choice = choice(limit: 2, true, true, true)
        #expect(choice.items.map(\.id) == ["0", "1"])
        #expect(choice.summary == "nothing new; 2 watched before")
    }

    @Test func theSearchForUnseenItemsEnds() {
        var choice = FetchChoice(limit: 5)
        var added = 0
        while !choice.isComplete {
            choice.add(Item(id: "\(added)", url: "file:///\(added).mp4"), wasSeen: true)
            added += 1
        }
        #expect(added == FetchChoice.considered)
    }

    @Test func aLimitBeyondThatIsReached() {
        var choice = FetchChoice(limit: FetchChoice.considered + 5)
        while !choice.isComplete { choice.add(Item(id: "a", url: "file:///a.mp4"), wasSeen: false) }
        #expect(choice.items.count == choice.limit)
    }
}
