import Cache
import Model
import Synchronization
import Threads

/// One reader of a loader: the source through which a decoder reads one URL. Any thread.
final class LoadedSource: ByteSource {
    /// Consecutive bytes from the disk, which are reported together.
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

    /// The reader begins with `request.range`. Blocks on the disk. `onClose` releases the loader.
    init(_ loader: Loader, request: ByteRequest, onClose: @escaping @Sendable () -> Void) {
        self.loader = loader
        self.request = request
        self.onClose = onClose
        reader = loader.open(request.range)
    }

    /// Blocks until it is known whether there is anything to read. Returns false for a playlist.
    func waitUntilKnown(_ cancellation: Cancellation) throws(BytesError) -> Bool {
        if let reason = loader.waitUntilKnown(reader, cancellation) {
            throw BytesError(verb: .open, url: request.url, reason: reason)
        }
        return !loader.isPlaylist
    }

    deinit {
        endRun()
        loader.close(reader)
        onClose()
    }

    var url: String { loader.url }
    var length: Int64? { loader.length }
    var isSeekable: Bool { loader.isSeekable }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int {
        guard offset >= 0 else { throw BytesError(verb: .read, url: request.url, reason: .negativeOffset) }
        guard buffer.count > 0 else { return 0 }
        while true {
            let (reading, stored) = loader.read(reader, at: offset, into: buffer, cancellation)
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

    private func advance(from offset: Int64, _ count: Int) {
        let end = offset + Int64(count)
        loader.advance(reader, to: end)
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
