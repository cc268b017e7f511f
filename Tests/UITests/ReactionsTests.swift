import Model
import Testing

@testable import UI

@Suite struct ReactionsTests {
    private let liked = Reaction(isLiked: true, isDisliked: false, isSaved: false)

    @Test func likeAndDislikeExcludeEachOther() {
        var reactions = Reactions()
        reactions.like("a", true, burst: nil)
        reactions.toggleDislike("a")
        #expect(!reactions["a"].isLiked && reactions["a"].isDisliked)
        reactions.like("a", true, burst: nil)
        #expect(reactions["a"].isLiked && !reactions["a"].isDisliked)
        // Taking a like back is no dislike.
        reactions.like("a", false, burst: nil)
        #expect(!reactions["a"].isLiked && !reactions["a"].isDisliked)
        #expect(!reactions["b"].isLiked && !reactions.isEmpty)
    }

    @Test func reactionsOfThisSessionWin() {
        var reactions = Reactions()
        reactions.like("a", false, burst: nil)
        _ = reactions.toggleFollow("mira")
        _ = reactions.toggleFollow("mira")
        reactions.recall(["a": liked, "b": liked], follows: ["mira", "ole"], areCounted: false)
        #expect(!reactions["a"].isLiked && reactions["b"].isLiked)
        #expect(reactions.follows == ["ole"] && reactions.seen == ["a", "b"])
    }

    @Test func sharedLinksStayShared() {
        var reactions = Reactions()
        reactions.share("a")
        reactions.recall(["a": liked], follows: [], areCounted: false)
        #expect(reactions["a"].wasShared && reactions["a"].isLiked)
        reactions.takeBack("a", to: Reaction())
        #expect(reactions["a"].wasShared && !reactions["a"].isLiked)
    }

    @Test func rejectedFollowIsUndone() {
        var reactions = Reactions()
        let follows = reactions.toggleFollow("mira")
        reactions.takeBack(follow: "mira", to: false)
        #expect(follows && reactions.follows.isEmpty)
        reactions.takeBack(follow: "mira", to: true)
        #expect(reactions.follows == ["mira"])
    }

    /// A count from the feed includes what its service knew then.
    @Test func ownReactionIsCountedOnce() {
        var reactions = Reactions()
        func likes(_ known: Int?) -> Int? { reactions.count(known, of: \.isLiked, to: "a") }
        #expect(likes(nil) == nil && likes(7) == 7)
        reactions.like("a", true, burst: nil)
        #expect(likes(7) == 8 && likes(-3) == 1 && likes(.max) == .max)
        reactions.startCounting(hasOwn: true)
        #expect(likes(8) == 8 && likes(0) == 1)
        reactions.like("a", false, burst: nil)
        #expect(likes(8) == 7)
        reactions.startCounting(hasOwn: false)
        #expect(likes(8) == 8)
    }

    @Test func recalledReactionMayBeInTheCounts() {
        for areCounted in [true, false] {
            var reactions = Reactions()
            reactions.recall(["a": liked], follows: [], areCounted: areCounted)
            #expect(reactions.count(5, of: \.isLiked, to: "a") == (areCounted ? 5 : 6))
        }
    }

    @Test func heartIsShownForItsLengthUnlessTheLikeEnds() {
        var reactions = Reactions()
        reactions.like("a", true, burst: Reactions.Burst(at: nil, start: .seconds(1)))
        let end = Duration.seconds(1) + Reactions.Burst.length
        reactions.hideBurst(at: end - .milliseconds(1))
        #expect(reactions.burst != nil)
        reactions.hideBurst(at: end)
        #expect(reactions.burst == nil)
        reactions.like("a", true, burst: Reactions.Burst(at: nil, start: .seconds(2)))
        reactions.toggleDislike("a")
        #expect(reactions.burst == nil)
    }
}
