import Foundation
import Testing

@testable import App

@Suite struct BriefLookupTests {
    @Test func slowLookupTimesOut() {
        let (goOn, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let began = ContinuousClock.now
        let found = BriefLookup.run(within: .milliseconds(20)) { () -> Int in
            goOn.wait()
            ended.signal()
            return 1
        }
        #expect(found == nil && ContinuousClock.now - began < .seconds(3))
        goOn.signal()
        ended.wait()
    }

    @Test func fastLookupReturnsItsResult() { #expect(BriefLookup.run(within: .seconds(20)) { 7 } == 7) }
}
