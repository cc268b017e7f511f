import Platform
import Synchronization
import Threads

/// A way to a local port that can end a connection between a question and its answer. Ends with this object.
public final class CuttingRelay: Sendable {
    public let port: UInt16
    private let listener: Int32
    private let state = Mutex<(word: [UInt8]?, cuts: Int)>((nil, 0))

    /// - Parameter target: the port of the server.
    public init(to target: UInt16) throws {
        (listener, port) = try Socket.listen(port: 0)
        BlockingThread.start { [weak self, listener] in
            while let client = Socket.acceptOne(listener) {
                BlockingThread.start { [weak self] in Self.relay(client, to: target) { self?.passes($0, &$1) ?? false }
                }
            }
        }
    }

    deinit {
        // This wakes the thread that accepts.
        shutdown(listener, Int32(SHUT_RDWR))
        Socket.close(listener)
    }

    /// The next time that a client says `word`, its connection ends when the
    /// server's answer has come, which the client does not get.
    public func cutAnswer(to word: String) { state.withLock { $0.word = Array(word.utf8) } }

    /// How many it has cut.
    public var cuts: Int { state.withLock { $0.cuts } }

    /// Whether bytes may be passed on.
    private func passes(_ bytes: [UInt8], _ wasAsked: inout Bool) -> Bool {
        state.withLock { state in
            if wasAsked {
                state.cuts += 1
                return false
            }
            if let word = state.word, bytes.firstRange(of: word) != nil {
                wasAsked = true
                state.word = nil
            }
            return true
        }
    }

    private static func relay(_ client: Int32, to target: UInt16, passes: ([UInt8], inout Bool) -> Bool) {
        defer { Socket.close(client) }
        // The client sees that the server is not there by the end of its connection.
        guard let server = try? Socket.connect(port: target) else { return }
        defer { Socket.close(server) }
        var wasAsked = false
        while true {
            let (fromClient, _) = Socket.waitForEither(client, server)
            let (source, sink) = fromClient ? (client, server) : (server, client)
            let bytes = Socket.receive(source)
            guard !bytes.isEmpty, passes(bytes, &wasAsked), Socket.send(sink, bytes[...]) else { return }
        }
    }
}
