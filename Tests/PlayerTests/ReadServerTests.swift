import Bytes
import Model
import Testing
import Threads
import Wire

@testable import Player

/// How a decoder is served when the provider takes its time.
struct ReadServerTests {
    /// A server, and what it has answered.
    private final class Counter: Sendable {
        let provider: MeteredProvider
        let server: ReadServer
        private let answers: Monitor<[ToDecoder]>

        init(size: Int = 1_000, arrived: Int64 = 0) {
            let (provider, answers) = (MeteredProvider(size: size, arrived: arrived), Monitor([ToDecoder]()))
            self.provider = provider
            self.answers = answers
            server = ReadServer(provider: provider, prefetch: provider) { answer in answers.change { $0.append(answer) }
            }
            server.begin(Asset(url: "http://test/feed", headers: ["Referer": "x"], retention: .home), as: .playlist)
        }

        deinit { server.end() }

        func open(_ id: UInt32) throws {
            try server.handle(.openURL(id: id, want: ByteWant(url: "http://test/\(id)", role: .media)))
        }

        /// Blocks until there are `count` answers; returns fewer if it takes 10 s.
        func answers(_ count: Int) -> [ToDecoder] {
            answers.wait(upTo: .seconds(10)) { $0.count >= count ? $0 : nil } ?? answers.withLock { $0 }
        }
    }

    private func data(_ answer: ToDecoder) -> (id: UInt32, offset: Int64, count: Int)? {
        guard case .data(let id, let offset, let bytes, "") = answer else { return nil }
        return (id, offset, bytes.count)
    }

    @Test func newerReadReplacesTheRunningOneUnanswered() throws {
        let counter = Counter(arrived: 10)
        try counter.open(1)
        #expect(counter.answers(1).count == 1)
        try counter.server.handle(.read(id: 1, offset: 500, count: 100))
        #expect(counter.provider.waitForReads(1))
        try counter.server.handle(.read(id: 1, offset: 0, count: 4))
        let answers = counter.answers(2)
        counter.provider.arriveWhole()
        try #require(answers.count == 2)
        #expect(data(answers[1]).map { $0 == (1, 0, 4) } == true)
        #expect(counter.provider.cancelledReads == 1)
        #expect(counter.server.load == (false, 3))
    }

    @Test func openingIsNotHeldUpByReadsOfOthers() throws {
        let counter = Counter()
        for id in UInt32(1)...2 {
            try counter.open(id)
            #expect(counter.answers(Int(id)).count == Int(id))
            try counter.server.handle(.read(id: id, offset: 0, count: 100))
        }
        #expect(counter.provider.waitForReads(2))
        #expect(counter.server.load.isServing)
        try counter.open(3)
        #expect(counter.answers(3).count == 3)
    }

    @Test func closedSourceIsReleasedAndItsReadIsCancelled() throws {
        let counter = Counter()
        try counter.open(1)
        _ = counter.answers(1)
        try counter.open(2)
        _ = counter.answers(2)
        try counter.server.handle(.read(id: 1, offset: 0, count: 100))
        #expect(counter.provider.waitForReads(1))
        try counter.server.handle(.closeURL(id: 1))
        try counter.server.handle(.closeURL(id: 2))
        #expect(counter.provider.wait { $0.openSources == 0 })
        #expect(counter.provider.cancelledReads == 1)
        #expect(counter.answers(2).count == 2)
        // The numbers are free again.
        try counter.open(1)
        #expect(counter.answers(3).count == 3)
    }

    @Test func endCancelsEverythingAndLeavesNoThread() throws {
        let provider: MeteredProvider
        weak var server: ReadServer?
        do {
            let counter = Counter()
            (provider, server) = (counter.provider, counter.server)
            for id in UInt32(1)...3 {
                try counter.open(id)
                _ = counter.answers(Int(id))
                try counter.server.handle(.read(id: id, offset: 0, count: 100))
            }
            #expect(provider.waitForReads(3))
            counter.server.end()
        }
        // Its threads hold it.
        #expect(provider.wait { $0.openSources == 0 && server == nil })
    }

    @Test func protocolViolationsThrow() throws {
        let counter = Counter()
        #expect(throws: WireError.self) { try counter.server.handle(.read(id: 9, offset: 0, count: 1)) }
        try counter.open(1)
        #expect(throws: WireError.self) { try counter.open(1) }
        for id in UInt32(2)...64 { try counter.open(id) }
        #expect(throws: WireError.self) { try counter.open(65) }
        let fresh = ReadServer(provider: counter.provider, prefetch: nil) { _ in }
        defer { fresh.end() }
        #expect(throws: WireError.self) {
            try fresh.handle(.openURL(id: 1, want: ByteWant(url: "http://test/1", role: .media)))
        }
    }

    @Test func wantedBytesReachTheProviderAsRequests() throws {
        let counter = Counter()
        let want = ByteWant(
            url: "http://test/s.ts", role: .segment, offset: 100, end: 300, from: 2_000_000, to: 4_000_000)
        try counter.server.handle(.expect(want))
        try counter.server.handle(.openURL(id: 1, want: want))
        _ = counter.answers(1)
        let request = ByteRequest(
            url: "http://test/s.ts", asset: Asset(url: "http://test/feed", headers: ["Referer": "x"], retention: .home),
            role: .segment, range: 100..<300, clipTimes: .seconds(2) ..< .seconds(4))
        #expect(counter.provider.expected == [request] && counter.provider.requests == [request])
    }

    @Test func providerLearnsWhetherTheDecoderHasSomethingToPlay() throws {
        let counter = Counter(arrived: 1_000)
        try counter.open(1)
        #expect(counter.answers(1).count == 1)
        try counter.server.handle(.read(id: 1, offset: 0, count: 1, isPatient: true))
        #expect(counter.answers(2).count == 2)
        try counter.server.handle(.read(id: 1, offset: 1, count: 1))
        #expect(counter.answers(3).count == 3)
        #expect(counter.provider.patience == [true, false])
    }

    @Test func failureIsAnsweredInWordsAndFreesTheNumber() throws {
        let counter = Counter()
        counter.provider.fail(.system(111))
        try counter.open(1)
        guard case .source(1, _, -1, false, let error) = try #require(counter.answers(1).first) else {
            Issue.record("no answer")
            return
        }
        #expect(error == "cannot open 'http://test/1': connection refused")
        counter.provider.fail(nil)
        try counter.open(1)
        #expect(counter.answers(2).count == 2)
    }

    @Test func floodOfExpectationsIsRefused() throws {
        let counter = Counter()
        func expect(_ count: Int) throws {
            for number in 0..<count {
                try counter.server.handle(.expect(ByteWant(url: "http://test/\(number)", role: .segment)))
            }
        }
        try expect(64)
        try counter.open(1)
        try expect(64)
        #expect(throws: WireError.invalid("expectation")) { try expect(1) }
    }
}
