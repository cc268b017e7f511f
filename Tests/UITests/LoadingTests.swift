import Model
import Testing

@testable import UI

@Suite struct LoadingTests {
    private func loading(isComing: Bool = true) -> Loading {
        var loading = Loading()
        loading.arrive(isComing: isComing, now: .seconds(10))
        return loading
    }

    private func clip(_ change: (inout Clip) -> Void) -> Clip {
        var clip = Clip()
        change(&clip)
        return clip
    }

    @Test func coverFadesOnceTheVideoIsThere() {
        var loading = loading()
        #expect(loading.coverage(fades: true, now: .seconds(11)) == Loading.coverDepth)
        loading.update(clip { $0.isRendering = true }, isExpected: true, wantsPlay: true, now: .seconds(11))
        let hidden = Duration.milliseconds(11_050)
        #expect(loading.coverage(fades: true, now: hidden + Loading.coverFade / 2) == Loading.coverDepth / 2)
        #expect(loading.coverage(fades: false, now: hidden + Loading.coverFade / 2) == 0)
        #expect(loading.coverage(fades: true, now: hidden + Loading.coverFade) == 0)
    }

    @Test func nothingCoversAClipThatDoesNotCome() {
        let failed = clip { $0.failure = Clip.Failure("no", advice: "", detail: "") }
        for (clip, isExpected) in [(failed, true), (Clip(), false)] {
            var loading = loading(isComing: false)
            loading.update(clip, isExpected: isExpected, wantsPlay: true, now: .seconds(10))
            #expect(!loading.isShown(now: .seconds(60)))
        }
    }

    @Test(arguments: [true, false])
    func onlyAClipThatIsToPlayStalls(wantsPlay: Bool) {
        var loading = loading(isComing: false)
        let stalled = clip { ($0.isRendering, $0.isStalled) = (true, true) }
        loading.update(stalled, isExpected: true, wantsPlay: wantsPlay, now: .seconds(11))
        #expect(loading.stall.isShown(now: .seconds(12)) == wantsPlay)
    }

    @Test func gateOpensWhenTheClipIsReadyOrAfterItsLimit() {
        var loading = loading()
        let passes = [
            loading.passesGate(isReady: false, now: .seconds(11)),
            loading.passesGate(isReady: true, now: .seconds(11)),
            loading.passesGate(isReady: false, now: .seconds(10) + Loading.gateLimit),
        ]
        #expect(passes == [false, true, true] && loading.refusedAt == .seconds(11))
    }

    @Test func refusalIsMarkedForAMoment() {
        var loading = loading(isComing: false)
        _ = loading.passesGate(isReady: false, now: .seconds(11))
        let end = Duration.seconds(11) + Loading.refusalLength
        #expect(loading.nextChange(after: .seconds(11), fades: false, frame: .milliseconds(16)) == end)
        loading.update(clip { $0.isRendering = true }, isExpected: true, wantsPlay: true, now: end)
        #expect(loading.refusedAt == nil)
    }
}
