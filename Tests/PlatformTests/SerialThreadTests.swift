import TestSupport
import Testing
import Threads

@Suite struct SerialThreadTests {
    private let done = Monitor([String]())

    private func job(_ name: String) -> SerialThread.Job {
        { [done] in done.change { $0.append(name) } }
    }

    @Test func jobsRunInOrderOnceTheThreadIsWoken() async {
        let thread = SerialThread()
        for name in ["a", "b", "c"] { #expect(thread.put(job(name))) }
        #expect(done.withLock(\.self) == [])
        thread.wake()
        await onThread { thread.drain(upTo: .seconds(60)) }
        #expect(done.withLock(\.self) == ["a", "b", "c"])
    }

    @Test func afterTheEndNoJobIsAcceptedAndEarlierOnesRun() async {
        let thread = SerialThread()
        #expect(thread.put(job("a")))
        #expect(thread.end() && !thread.end())
        #expect(!thread.put(job("b")))
        thread.wake()
        await onThread { thread.drain(upTo: .seconds(60)) }
        #expect(done.withLock(\.self) == ["a"])
    }
}
