import Platform
import Threads

/// What the threads of a server share: the resources, the recorded requests, and the open connections. Any thread.
final class ServerState: Sendable {
    private struct State {
        var resources: [String: Resource] = [:]
        var requests: [FaultyServer.Request] = []
        /// The id of the first recorded request; rises when the record is cleared.
        var firstID = 0
        /// The number of requests by path, and by path and method; not reset with the record.
        var numbers: [String: Int] = [:]
        var connections = 0
        var meter = LinkMeter()
        var descriptors: Set<Int32> = []
        var threads = 0
        var isStopped = true
        /// `stop` closes it to wake the thread that accepts connections.
        var wakeDescriptor: Int32 = -1
    }

    private let state = Monitor(State())

    // MARK: For the server's owner

    func serve(_ path: String, _ resource: Resource?) {
        state.withLock { state in
            state.resources[path] = resource
            for key in state.numbers.keys where key == path || key.hasSuffix(" \(path)") { state.numbers[key] = nil }
        }
    }

    var link: FaultyServer.Link {
        get { state.withLock { $0.meter.link } }
        set { state.withLock { $0.meter.link = newValue } }
    }

    var counts: FaultyServer.Counts { state.withLock { Self.counts($0) } }
    var requests: [FaultyServer.Request] { state.withLock { $0.requests } }

    func resetCounts() {
        state.withLock { state in
            state.firstID += state.requests.count
            state.requests = []
            state.connections = 0
        }
    }

    func wait(upTo limit: Duration, until condition: (FaultyServer.Counts) -> Bool) -> Bool {
        // The caller's condition is not called under the lock.
        let end = ContinuousClock.now + limit
        while true {
            let counts = self.counts
            if condition(counts) { return true }
            let changed: Bool? = state.wait(upTo: end - .now) { Self.counts($0) == counts ? nil : true }
            if changed == nil { return condition(self.counts) }
        }
    }

    private static func counts(_ state: State) -> FaultyServer.Counts {
        FaultyServer.Counts(
            connections: state.connections, openConnections: state.descriptors.count, requests: state.requests.count,
            answering: state.requests.count { !$0.isOver }, bodyBytes: state.requests.reduce(0) { $0 + $1.bodyBytes })
    }

    // MARK: For connections

    func begin(_ request: FaultyServer.Request) -> (id: Int, FaultyServer.Request, Resource?) {
        state.change { state in
            var request = request
            request.number = state.numbers[request.path, default: 0] + 1
            state.numbers[request.path] = request.number
            let key = "\(request.method) \(request.path)"
            request.numberOfMethod = state.numbers[key, default: 0] + 1
            state.numbers[key] = request.numberOfMethod
            state.requests.append(request)
            return (state.firstID + state.requests.count - 1, request, state.resources[request.path])
        }
    }

    func note(_ id: Int, status: Int) { note(id) { $0.status = status } }
    func note(_ id: Int, sent: Int64) { note(id) { $0.bodyBytes += sent } }
    func end(_ id: Int) { note(id) { $0.isOver = true } }

    /// Ignores requests that were cleared in the meantime.
    private func note(_ id: Int, _ change: (inout FaultyServer.Request) -> Void) {
        state.change { state in
            let index = id - state.firstID
            if state.requests.indices.contains(index) { change(&state.requests[index]) }
        }
    }

    var portion: Int { state.withLock { $0.meter.portion } }
    func pass(_ count: Int) -> ContinuousClock.Instant? { state.withLock { $0.meter.pass(count, now: .now) } }

    // MARK: Threads

    /// Listens at `port` and serves on its own threads.
    func start(port: UInt16) throws {
        let listener = try Socket.listen(port: port).descriptor
        let (wakeDescriptor, heard) = try Socket.pair()
        state.withLock { state in
            state.isStopped = false
            state.wakeDescriptor = wakeDescriptor
        }
        run { [self] in
            while true {
                let (hasConnection, isStopped) = Socket.waitForEither(listener, heard)
                if isStopped { break }
                if hasConnection, let descriptor = Socket.acceptOne(listener) { accept(descriptor) }
            }
            close(listener)
            close(heard)
        }
    }

    /// Ends everything and blocks until every thread has ended. Nothing listens afterwards.
    func stop() {
        state.change { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            close(state.wakeDescriptor)
            for descriptor in state.descriptors { Socket.end(descriptor) }
        }
        let _: Void? = state.wait { $0.threads == 0 ? () : nil }
    }

    private func accept(_ descriptor: Int32) {
        let isWelcome = state.change { state in
            if state.isStopped { return false }
            state.connections += 1
            state.descriptors.insert(descriptor)
            return true
        }
        guard isWelcome else {
            close(descriptor)
            return
        }
        run { [self] in
            var connection = Connection(descriptor, self)
            connection.serve()
            // Closed under the lock, so that `stop` never uses a descriptor number that was reused.
            state.change { state in
                state.descriptors.remove(descriptor)
                close(descriptor)
            }
        }
    }

    /// Runs `body` on a thread.
    private func run(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.threads += 1 }
        BlockingThread.start { [state] in
            body()
            state.change { $0.threads -= 1 }
        }
    }
}
