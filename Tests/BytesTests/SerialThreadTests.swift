import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import Cache

@Suite struct SerialThreadTests {
    private let done = Monitor([String]())

    private func job(_ name: String) -> SerialThread.Job {
        { [done] runs in done.change { $0.append(runs ? name : "no \(name)") } }
    }

    @Test func jobsRunInOrderOnceTheThreadIsWoken() async {
        let thread = SerialThread()
        for name in ["a", "b", "c"] { #expect(thread.put(job(name))) }
        #expect(done.withLock(\.self) == [])
        #expect(thread.wake())
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

    @Test func withoutAThreadEachJobIsCancelled() async {
        let other = Monitor<SerialThread?>(nil)
        let thread = SerialThread(start: { [done] _ in
            // Another caller puts a job and wakes the thread while starting it fails.
            other.withLock(\.self)?.wake()
            _ = other.withLock(\.self)?.put { runs in done.change { $0.append(runs ? "b" : "no b") } }
            return false
        })
        other.withLock { $0 = thread }
        #expect(thread.put(job("a")))
        #expect(!thread.wake())
        #expect(done.withLock(\.self) == ["no a", "no b"])
        await onThread { thread.drain(upTo: .zero) }
        other.withLock { $0 = nil }
    }

    @Test func aCacheWithoutAThreadIsReportedOnceAndAcceptsNoMoreJobs() {
        let writer = CacheWriter(nil, thread: SerialThread(start: { _ in false })) { [done] text in
            done.change { $0.append(text) }
        }
        writer.add(job("a"))
        writer.add(job("b"))
        #expect(
            done.withLock(\.self) == ["no a", "caching is off: out of threads", "no b"])
    }
}
