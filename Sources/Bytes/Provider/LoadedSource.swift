import Cache
import Model
import Synchronization
import Threads

/// One reader of a loader: what a decoder's reads of one URL go through.
final class LoadedSource: ByteSource {
    /// Bytes that came from the disk one after the other, for the report.
    private struct Run {
        var from: Int64
        var end: Int64
        var began: Duration
    }

    private let loader: Loader
    private let reader: Int
    private let request: ByteRequest
    private let onClose: @Sendable () -> Void
    private let run = Mutex<Run?>(nil)

    /// Reads of `request.range` are what it begins with. Blocks on the disk. `onClose` gives the loader back.
    init(_ loader: Loader, request: ByteRequest, onClose: @escaping @Sendable () -> Void) {
        self.loader = loader
        self.request = request
        self.onClose = onClose
        loader.lookUp()
        reader = loader.monitor.withLock { shared in
            shared.state.open(from: request.range?.lowerBound ?? 0, end: request.range?.upperBound)
        }
    }

    /// Blocks until it is known whether there is anything to read. False if it is a playlist.
    func waitUntilKnown(_ cancellation: Cancellation) throws(BytesError) -> Bool {
        let number = cancellation.onCancel { [loader] in loader.update { _ in } }
        defer { cancellation.forget(number) }
        let now = loader.services.now
        var found = loader.update { [reader] in $0.opening(reader, now: now) }
        found =
            found
            ?? loader.monitor.wait { [reader] shared in
                if cancellation.isCancelled { return .failed(.cancelled) }
                // By the time of the beginning: a failure that came since is told, however late this thread gets to it.
                return shared.state.opening(reader, now: now)
            }
        if case .failed(let reason)? = found { throw BytesError(verb: .open, url: request.url, reason: reason) }
        return !loader.monitor.withLock(\.state.isPlaylist)
    }

    deinit {
        endRun()
        loader.update { $0.close(reader) }
        onClose()
    }

    var url: String { loader.monitor.withLock(\.state.url) }
    var length: Int64? { loader.monitor.withLock(\.state.facts.length) }
    var isSeekable: Bool { loader.monitor.withLock(\.state.isSeekable) }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int {
        guard offset >= 0 else { throw BytesError(verb: .read, url: request.url, reason: .negativeOffset) }
        guard buffer.count > 0 else { return 0 }
        while true {
            let (reading, stored) = try find(offset, buffer, cancellation)
            switch reading {
            case .copied(let count):
                endRun()
                return count
            case .failed(let reason): throw BytesError(verb: .read, url: request.url, reason: reason)
            case .onDisk:
                let count = stored?.read(at: offset, into: buffer) ?? 0
                if count > 0 {
                    advance(from: offset, count)
                    return count
                }
                let ranges = stored?.ranges ?? ByteRanges()
                loader.update { $0.lost(at: offset, keeping: ranges) }
            }
        }
    }

    /// Says where the bytes are, as soon as there are any; those in memory are in the buffer then.
    private func find(
        _ offset: Int64, _ buffer: UnsafeMutableRawBufferPointer, _ cancellation: Cancellation
    ) throws(BytesError) -> (LoaderState.Reading, StoredAsset?) {
        let now = loader.services.now
        let (found, following) = loader.monitor.withLock { [reader] shared in
            let reading = shared.state.read(reader, at: offset, into: buffer, now: now)
            let isSettled = shared.state.isSettled(reader)
            return (
                reading.map { ($0, shared.stored) },
                isSettled ? Loader.Following() : loader.follow(&shared, now: now)
            )
        }
        loader.carryOut(following)
        if let found { return found }
        let number = cancellation.onCancel { [loader] in loader.update { _ in } }
        defer { cancellation.forget(number) }
        let waited = loader.monitor.wait { [reader] shared -> (LoaderState.Reading, StoredAsset?)? in
            if cancellation.isCancelled {
                shared.state.readers[reader]?.waits = false
                return (.failed(.cancelled), nil)
            }
            // By the time of the beginning: see `waitUntilKnown`.
            let reading = shared.state.read(reader, at: offset, into: buffer, now: now)
            return reading.map { ($0, shared.stored) }
        }
        if cancellation.isCancelled { loader.update { _ in } }
        return waited ?? (.failed(.cancelled), nil)
    }

    private func advance(from offset: Int64, _ count: Int) {
        let end = offset + Int64(count)
        loader.monitor.withLock { $0.state.advance(reader, to: end) }
        let now = loader.services.now
        let over = run.withLock { run -> Run? in
            guard let old = run, old.end == offset else {
                defer { run = Run(from: offset, end: end, began: now) }
                return run
            }
            run?.end = end
            return nil
        }
        report(over)
    }

    private func endRun() {
        report(
            run.withLock { run in
                defer { run = nil }
                return run
            })
    }

    private func report(_ run: Run?) {
        guard let run, let report = loader.services.report else { return }
        report(
            Fetch(
                asset: request.asset.url, url: SafeURL.text(request.url), from: run.from, to: run.end - 1,
                got: run.end - run.from, source: .cache, status: 0, time: loader.services.now - run.began))
    }
}
