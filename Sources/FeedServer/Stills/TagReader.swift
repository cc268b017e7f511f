import Bytes
import Model
import Platform
import Player
import Threads
import Wire

/// Reads the tags of clips' files, one after the other in the feed's order, and passes
/// them to the keeper. Any thread; it works on its own.
///
/// It pauses as long as each clip took, so that it uses at most half a core.
final class TagReader: Sendable {
    private enum Reading {
        /// nil: nothing, or it is no clip.
        case said(ContainerTags?)
        /// The decoder could not be used.
        case failed
    }

    private struct State {
        var isEnded = false
        var isRunning = false
    }

    private let decoder: String
    private let keeper: FolderKeeper
    private let warn: @Sendable (String) -> Void
    private let running = RunningDecoders()
    private let state = Monitor(State())

    /// How long a clip may take to open.
    private static let limit = Duration.seconds(10)
    /// The keeper gets the first tags after this time, and more after twice as long each time.
    private static let firstReport = Duration.seconds(1)
    private static let longestReport = Duration.seconds(30)
    /// If the system lacks what decoders need, the next attempt is after this pause.
    private static let pause = Duration.seconds(30)

    /// - Parameters:
    ///   - decoder: the program flick-decoder.
    ///   - warn: receives one line for each failing decoder.
    init(decoder: String, keeper: FolderKeeper, warn: @escaping @Sendable (String) -> Void) {
        (self.decoder, self.keeper, self.warn) = (decoder, keeper, warn)
    }

    /// Starts the thread.
    func begin() {
        state.change { $0.isRunning = true }
        BlockingThread.start { [self] in
            work()
            state.change { $0.isRunning = false }
        }
    }

    /// Reads no more, and ends the decoder at work. Returns at once.
    func end() {
        state.change { $0.isEnded = true }
        running.end()
    }

    /// After `end`: waits for the thread's end. Blocks.
    func drain(upTo limit: Duration) { _ = state.wait(upTo: limit) { $0.isRunning ? nil : () } }

    // MARK: The thread

    private func work() {
        var known = KnownTags()
        var walk = 0
        while !state.withLock(\.isEnded) {
            guard let next = keeper.index(afterWalk: walk, upTo: .milliseconds(500)) else { continue }
            walk = next.walk
            read(next.index, &known)
        }
    }

    /// Reads what is new in the index.
    private func read(_ index: FolderIndex, _ known: inout KnownTags) {
        // One for the clips that follow each other: each decoder is a copy of it.
        var nursery: Nursery?
        var (reported, interval) = (ContinuousClock.now, Backoff(from: Self.firstReport, upTo: Self.longestReport))
        for place in 0..<index.count {
            if state.withLock(\.isEnded) { return }
            let path = index.paths.relativePath(at: place)
            guard !ServedPlaylist.isOne(path), let clip = ServedFile(below: keeper.root, path: path) else { continue }
            let number = ItemID.number(ofBytes: path)
            if known.has(number, clip.validators) { continue }
            let start = ContinuousClock.now
            let source = nursery ?? Nursery(path: decoder)
            nursery = source
            guard case .said(let tags) = ask(clip, at: Array(path), nursery: source) else { continue }
            known.note(tags, of: number, clip.validators)
            if .now - reported > interval.pause {
                keeper.setTags(known.tags)
                reported = .now
                interval.grow()
            }
            wait(min(.now - start, .seconds(1)))
        }
        known.forgetUnseen()
        keeper.setTags(known.tags)
    }

    private func wait(_ time: Duration) { _ = state.wait(upTo: time) { $0.isEnded ? () : nil } }

    /// Reads the tags of a file. Blocks for some 20 ms, and up to the limit.
    private func ask(_ clip: ServedFile, at path: [UInt8], nursery: Nursery) -> Reading {
        let bytes = ClipBytes(keeper: keeper, path: path, clip: clip)
        do {
            let tags = try running.withDecoder(of: nursery) { process in
                let run = LinearDecode(
                    process, url: bytes.url, pictures: nil, start: .zero, bytes: MediaBytes(local: bytes),
                    patience: Self.limit, limit: Self.limit)
                while true {
                    switch try run.next() {
                    case .opened(let info): return ContainerTags(info.tags)
                    case .picture: continue
                    case .ended: return nil
                    }
                }
            }
            return .said(tags)
        } catch is PlaybackError {
            // It is no clip, or not yet whole.
            return .said(nil)
        } catch WireError.system(let call, let code) {
            // Not the clip's fault: memory, processes or the program itself are missing.
            warn("cannot read the tags of clips: \(call): \(SystemError.text(code))")
            wait(Self.pause)
            return .failed
        } catch {
            if running.isEnded { return .failed }
            warn(
                "cannot read the tags of '\(CleanText.line(String(decoding: path, as: UTF8.self)))': the decoder failed: \(error)"
            )
            return .said(nil)
        }
    }
}
