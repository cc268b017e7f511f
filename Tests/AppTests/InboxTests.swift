import Platform
import TestSupport
import Testing

@testable import App

@Suite struct InboxTests {
    private func isReadable(_ inbox: Inbox<Int>) -> Bool {
        var entry = pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    @Test func messagesAreDrainedOnceInOrder() throws {
        let inbox = try Inbox<Int>()
        for number in [3, 1, 2] { inbox.post(number) }
        #expect(inbox.drain() == [3, 1, 2])
        #expect(inbox.drain().isEmpty)
        inbox.post(4)
        #expect(inbox.drain() == [4])
    }

    @Test func loopIsWokenAgainAfterEachDrain() throws {
        let inbox = try Inbox<Int>()
        for round in 1...3 {
            #expect(!isReadable(inbox))
            for number in 0..<round { inbox.post(number) }
            #expect(isReadable(inbox))
            #expect(inbox.drain().count == round)
        }
        inbox.wake()
        #expect(isReadable(inbox) && inbox.drain().isEmpty && !isReadable(inbox))
    }
}
