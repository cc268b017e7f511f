import Model
import Testing

@testable import Bytes
@testable import Cache

@Suite struct DelaysTests {
    private let delays = Delays()
    private let clip = "http://h/x.mp4"
    private let other = "http://h/y.mp4"

    private func request(_ transfer: Int) throws -> Delays.Request {
        Delays.Request(key: try #require(AssetKey(clip)), transfer: transfer)
    }

    private func error(_ wait: Int) -> BytesError {
        BytesError(verb: .open, url: clip, reason: .busy(503, .seconds(wait)))
    }

    @Test func aResponseToOneRequestKeepsTheFailureOfAnother() throws {
        delays.begin(clip, try request(1), error(1))
        delays.begin(clip, try request(2), error(2))
        #expect(delays.words(clip) == "the server is busy; retrying in 2 s")
        delays.end(clip, try request(2))
        #expect(delays.words(clip) == "the server is busy; retrying in 1 s")
        delays.end(clip, try request(1))
        #expect(delays.words(clip) == nil)
    }

    @Test func aRequestFailsForOneReasonAtATime() throws {
        for wait in 1...3 { delays.begin(clip, try request(1), error(wait)) }
        #expect(delays.words(clip) == "the server is busy; retrying in 3 s" && delays.words(other) == nil)
        delays.end(clip, try request(1))
        #expect(delays.words(clip) == nil)
    }
}
