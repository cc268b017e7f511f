import Bytes
import Model
import Wire

/// The decoders that have no clip: those that were started ahead of need, and those that were killed and have not ended yet. On the main thread.
@MainActor
final class DecoderPool {
    private let options: PlayerPool.Options
    private let provider: any ByteProvider
    private let wake: @Sendable () -> Void
    private var idle: [DecoderHandle] = []
    private var ending: [DecoderHandle] = []
    /// The last attempt to start a decoder failed.
    private var cannotStart = false
    private var events: [PlayerEvent] = []

    /// - Parameter wake: called on any thread when a decoder has sent something.
    init(options: PlayerPool.Options, provider: any ByteProvider, wake: @escaping @Sendable () -> Void) {
        self.options = options
        self.provider = provider
        self.wake = wake
    }

    /// The program that is started.
    var path: String { options.decoderPath }

    /// Whether `decoder()` has one at once.
    var hasIdle: Bool { !idle.isEmpty }

    /// Starts as many decoders ahead as the options say. Each needs some 30 ms until it can open anything.
    func startAhead() {
        guard !cannotStart else { return }
        do {
            while idle.count < options.idleDecoders { idle.append(try start()) }
        } catch {
            // Not tried again before an item needs a decoder, and then that item's page tells why there is none.
            cannotStart = true
            events.append(.trace(.error(what: "idle decoder", why: "\(error)")))
        }
    }

    /// An idle decoder, or else a new one. Throws if none can be started.
    func decoder() throws -> DecoderHandle {
        guard idle.isEmpty else { return idle.removeFirst() }
        let decoder = try start()
        cannotStart = false
        return decoder
    }

    private func start() throws -> DecoderHandle {
        let process = try options.spawn?() ?? DecoderProcess.spawn(path: options.decoderPath)
        let decoder = DecoderHandle(process, provider: provider, wake: wake)
        events.append(.trace(.worker(item: nil, pid: Int(decoder.pid), state: .spawn, status: nil)))
        return decoder
    }

    /// Kills a decoder that no player uses any more. Its end is reported once it has come.
    func end(_ decoder: DecoderHandle) {
        decoder.kill()
        ending.append(decoder)
    }

    /// Reads what the decoders sent.
    func advance() {
        idle.removeAll { decoder in
            decoder.receive().events.contains { event in
                switch event {
                case .message(.hello):
                    events.append(.trace(.worker(item: nil, pid: Int(decoder.pid), state: .ready, status: nil)))
                    return false
                case .message:
                    // It has nothing to speak about yet.
                    end(decoder)
                    return true
                case .ended(_, let status, let wasKilled):
                    events.append(.trace(decoder.traceOfEnd(status: status, wasKilled: wasKilled, item: nil)))
                    return true
                }
            }
        }
        ending.removeAll { decoder in
            decoder.receive().events.contains { event in
                guard case .ended(_, let status, let wasKilled) = event else { return false }
                events.append(.trace(decoder.traceOfEnd(status: status, wasKilled: wasKilled, item: nil)))
                return true
            }
        }
    }

    /// What happened since the last time.
    func drainEvents() -> [PlayerEvent] {
        defer { events = [] }
        return events
    }

    /// Kills all decoders, and waits a moment until nothing is left of any process.
    func close() {
        for decoder in idle { decoder.kill() }
        for decoder in idle + ending { decoder.end() }
        idle = []
        ending = []
        events = []
    }
}

extension DecoderHandle {
    func traceOfEnd(status: Int32, wasKilled: Bool, item: Item.ID?) -> TraceEvent {
        .worker(item: item, pid: Int(pid), state: wasKilled ? .killed : .exit, status: describe(status: status))
    }
}

/// waitpid's status in words.
func describe(status: Int32) -> String {
    status & 0x7F == 0 ? "exit \((status >> 8) & 0xFF)" : "signal \(status & 0x7F)"
}
