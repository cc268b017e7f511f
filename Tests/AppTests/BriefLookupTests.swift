import Foundation
import TestSupport
import Testing

@testable import App

@Suite struct BriefLookupTests {
    private let lookups = BriefLookup()

    @Test func slowLookupTimesOut() {
        let (goOn, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let began = ContinuousClock.now
        let found = lookups.run(within: .milliseconds(20)) { () -> Int in
            goOn.wait()
            ended.signal()
            return 1
        }
        #expect(found == nil && ContinuousClock.now - began < .seconds(3))
        goOn.signal()
        ended.wait()
    }

    @Test func fastLookupReturnsItsResult() { #expect(lookups.run(within: .seconds(20)) { 7 } == 7) }

    /// Each would wait for the same lock.
    @Test func noLookupBeginsWhileTwoAreLate() {
        let goOn = DispatchSemaphore(value: 0)
        for _ in 0..<2 { #expect(lookups.run(within: .milliseconds(20)) { goOn.wait() } == nil) }
        #expect(lookups.run(within: .seconds(20)) { 7 } == nil)
        goOn.signal()
        goOn.signal()
        #expect(holds(within: .seconds(20)) { lookups.run(within: .seconds(20)) { 7 } == 7 })
    }

    @Test func lookupBesideALateOneWaitsForAMomentAtMost() {
        let goOn = DispatchSemaphore(value: 0)
        let began = ContinuousClock.now
        for limit in [Duration.milliseconds(20), .seconds(20)] {
            #expect(lookups.run(within: limit) { goOn.wait() } == nil)
        }
        #expect(ContinuousClock.now - began < .seconds(10))
        goOn.signal()
        goOn.signal()
    }
}
