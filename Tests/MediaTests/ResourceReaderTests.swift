import CProcess
import TestSupport
import Testing
import Wire

@testable import Media

/// How much of a resource is requested at once.
@Suite struct ResourceReaderTests {
    /// Answers all requests at once, and notes the reads: the client waits on this thread, so no other is needed.
    private final class Owner {
        private let channel: DecoderChannel
        private let messages = MessageQueue()
        let client: ByteClient
        private(set) var reads: [(offset: Int64, count: UInt32, isPatient: Bool)] = []
        /// How many reads fail before one brings bytes.
        var failures = 0

        init() throws {
            var pair: [Int32] = [-1, -1]
            let code = flick_socket_pair(&pair, 1 << 20)
            guard code == 0 else { throw WireError.system(call: "socketpair", code: -code) }
            channel = DecoderChannel(descriptor: pair[0])
            client = ByteClient(channel: OwnerChannel(descriptor: pair[1]), messages: messages)
            client.workWhileWaiting = { [unowned self] in answer() }
        }

        private func answer() -> Bool {
            // `try?`: any error ends the channel.
            switch try? channel.receive() {
            case .openURL(let id, let want, _):
                messages.put(.source(id: id, url: want.url, length: 64 << 20, seekable: true, error: ""))
            case .read(let id, let offset, let count, let isPatient):
                reads.append((offset, count, isPatient))
                guard failures == 0 else {
                    failures -= 1
                    messages.put(.data(id: id, offset: offset, bytes: [], error: "the server is gone"))
                    return true
                }
                let bytes = [UInt8](repeating: 0, count: Int(count))
                messages.put(.data(id: id, offset: offset, bytes: bytes, error: ""))
            default: return false
            }
            return true
        }
    }

    private func read(_ reader: ResourceReader, _ bytes: Int) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var left = bytes
        while left > 0 {
            let count = reader.read(into: &buffer, count: min(left, buffer.count))
            guard count > 0 else { return }
            left -= Int(count)
        }
    }

    /// An index at the end costs little, however much was read in a row before.
    @Test func requestsGrowInARowAndStartSmallAfterAJump() throws {
        let owner = try Owner()
        let reader = try owner.client.open(
            ByteWant(url: "file:///a", role: .media, offset: 0, end: -1, from: 0, to: 0))
        read(reader, 1_984 << 10)
        #expect(owner.reads.map { $0.count >> 10 } == [64, 128, 256, 512, 512, 512])
        _ = reader.seek(to: 32 << 20, whence: 0)
        read(reader, 192 << 10)
        #expect(owner.reads.suffix(2).map { $0.count >> 10 } == [64, 128])
        #expect(owner.reads.suffix(2).map { $0.offset >> 10 } == [32 << 10, (32 << 10) + 64])
    }

    /// flick leaves a request for the read that is made when nothing is left to play.
    @Test(arguments: [1, 2]) func lastReadIsImpatient(failures: Int) throws {
        let owner = try Owner()
        owner.failures = failures
        // Something is left to play only until the first read has failed.
        owner.client.canWait = { [unowned owner] in owner.reads.isEmpty }
        let reader = try owner.client.open(ByteWant(url: "file:///a", role: .media))
        var buffer = [UInt8](repeating: 0, count: 1_000)
        let count = reader.read(into: &buffer, count: 1_000)
        #expect(owner.reads.map(\.isPatient) == [true, false])
        #expect(count > 0 ? failures == 1 : failures == 2)
        #expect(owner.client.lastError == (failures == 1 ? "" : "the server is gone"))
    }

    /// The channel can be closed between a look at the queue and the wait for a change.
    @Test(.timeLimit(.minutes(1))) func closedQueueIsNotWaitedFor() async {
        let queue = MessageQueue()
        queue.close()
        await onThread { queue.wait(past: queue.version) }
    }
}
