import CServe
import Feeds
import Model
import Platform
import Threads

/// Keeps the index of the served folder up to date: walks it on its own thread, and
/// again when something in it has changed. Any thread.
final class FolderKeeper: Sendable {
    private struct State {
        var index = FolderIndex.empty
        /// Counts walks to the end.
        var walks = 0
        /// The tags of clips' files, by the number of their id; and whether the index does not have them yet.
        var tags: [UInt64: ContainerTags] = [:]
        var hasNewTags = false
        var isEnded = false
    }

    /// The content of a sidecar that had these validators, so that only changed ones are read again.
    private struct Known {
        var validators: Validators
        var facts: FolderIndex.SidecarFacts?
    }

    /// The folder, open.
    let root: Int32
    let name: String
    private let path: [UInt8]
    private let usesInotify: Bool
    private let warn: @Sendable (String) -> Void
    private let state = Monitor(State())

    /// While the walk continues, the part found so far is published after this time.
    private static let partly = Duration.milliseconds(200)
    /// The most clips of that part.
    private static let beginning = 5_000

    /// Opens the folder; nil, with errno, if it cannot be opened as a folder. `begin` walks it.
    ///
    /// - Parameters:
    ///   - path: absolute.
    ///   - warn: receives one line for each skipped file or folder, on the keeper's thread.
    init?(path: [UInt8], usesInotify: Bool = true, warn: @escaping @Sendable (String) -> Void) {
        let slashed = path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")]
        let root = slashed.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard root >= 0 else { return nil }
        self.root = root
        self.path = slashed
        self.usesInotify = usesInotify
        self.warn = warn
        name = path.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) } ?? "/"
    }

    deinit { close(root) }

    /// Starts the thread.
    func begin() { BlockingThread.start { [self] in work() } }

    func end() { state.change { $0.isEnded = true } }

    /// The index, at once.
    var index: FolderIndex { state.withLock { $0.index } }

    /// The index; before the first walk has ended, what was found within `limit`. Blocks.
    func index(waitingUpTo limit: Duration) -> FolderIndex {
        state.wait(upTo: limit) { $0.index.isWhole || $0.isEnded ? $0.index : nil } ?? index
    }

    /// The index after another walk than the one with this number (0: after the first), and that walk's number; nil if
    /// none has ended within `limit`. Blocks.
    func index(afterWalk walk: Int, upTo limit: Duration) -> (index: FolderIndex, walk: Int)? {
        state.wait(upTo: limit) { $0.walks > walk && !$0.isEnded ? ($0.index, $0.walks) : nil }
    }

    /// The tags of clips' files, by the number of their id. The index has them soon.
    func setTags(_ tags: [UInt64: ContainerTags]) {
        guard tags != state.withLock(\.tags) else { return }
        state.change { ($0.tags, $0.hasNewTags) = (tags, true) }
    }

    /// Waits until `condition` holds of the index. Blocks.
    func waits(upTo limit: Duration, for condition: (FolderIndex) -> Bool) -> Bool {
        state.wait(upTo: limit) { condition($0.index) ? () : nil } != nil
    }

    private var isEnded: Bool { state.withLock(\.isEnded) }

    private func publish(_ index: FolderIndex) { state.change { $0.index = index } }

    // MARK: The thread

    private func work() {
        let watch = FolderWatch(root: path, usesInotify: usesInotify)
        var known: [UInt64: Known] = [:]
        var mustWalk = true
        var warned: Set<String> = []
        while !isEnded {
            guard mustWalk || watch.waitUntilQuiet(milliseconds: 500, isEnded: { isEnded }) else {
                takeTags()
                continue
            }
            mustWalk = false
            let start = ContinuousClock.now
            let startTime = Int64(time(nil))
            do throws(BytesError) {
                let walk = try walk()
                mustWalk = watch.watch(walk.folders, walkedSince: startTime)
                for warning in walk.warnings where warned.insert(warning).inserted { warn(warning) }
                show(walk, &known)
            } catch {
                // The folder itself cannot be read: what was known stays, and files that are gone are 404.
                if warned.insert(error.description).inserted { warn(error.description) }
                mustWalk = true
            }
            let pause = FolderWatch.pause(afterWalkOf: .now - start, again: mustWalk)
            _ = state.wait(upTo: pause) { $0.isEnded ? () : nil }
        }
    }

    /// Rebuilds the index if new tags of clips were read.
    private func takeTags() {
        let tags = state.change { state in
            defer { state.hasNewTags = false }
            return state.hasNewTags ? state.tags : nil
        }
        if let tags { publish(index.with(tags)) }
    }

    private func walk() throws(BytesError) -> FolderWalk {
        let root = root
        var walk = try FolderWalk(beginningAt: path) { relative in
            // A link that leads out of the folder is not part of it.
            let file = relative.withCString { flick_open_beneath(root, $0) }
            if file >= 0 { close(file) }
            return file >= 0
        }
        let isFirst = !index.isWhole
        var shown = ContinuousClock.now
        while !isEnded, walk.listNext() {
            guard isFirst, .now - shown >= Self.partly else { continue }
            publishBeginning(of: walk)
            shown = .now
        }
        if isFirst { publishBeginning(of: walk) }
        return walk
    }

    /// The first clips that were found, for who asks before all are sorted, which takes longer than to find them.
    private func publishBeginning(of walk: FolderWalk) {
        var part = PathList()
        for index in 0..<min(walk.clips.count, Self.beginning) {
            _ = part.append(
                walk.clips.relativePath(at: index), beside: walk.clips.sidecars(at: index),
                captions: walk.clips.captions(at: index))
        }
        part.sortNaturally()
        publish(FolderIndex(paths: part, isWhole: false))
    }

    private func show(_ walk: FolderWalk, _ known: inout [UInt64: Known]) {
        var paths = walk.clips
        paths.sortNaturally()
        let tags = state.withLock(\.tags)
        defer { state.change { $0.walks += 1 } }
        let bare = FolderIndex(paths: paths, isWhole: true, tags: tags)
        let described = (0..<paths.count).filter { !paths.sidecars(at: $0).texts.isEmpty }
        guard !described.isEmpty else {
            known = [:]
            return publish(bare)
        }
        // Many sidecars take seconds to read: until then there are no topics, but all items.
        if !index.isWhole { publish(bare) }
        var facts: [UInt32: FolderIndex.SidecarFacts] = [:]
        var stillKnown: [UInt64: Known] = [:]
        for index in described {
            if isEnded { return }
            for (path, kind) in bare.sidecars(at: index) {
                guard let file = ServedFile(below: root, path: path) else { continue }
                let key = ItemID.number(ofBytes: path)
                if let known = known[key], known.validators == file.validators {
                    stillKnown[key] = known
                } else {
                    stillKnown[key] = Known(validators: file.validators, facts: read(file, kind, at: path))
                }
                guard let said = stillKnown[key]?.facts else { continue }
                let before = facts[UInt32(index)]
                facts[UInt32(index)] = FolderIndex.SidecarFacts(
                    tags: said.tags.isEmpty ? before?.tags ?? [] : said.tags, creator: said.creator ?? before?.creator)
            }
        }
        known = stillKnown
        publish(FolderIndex(paths: paths, isWhole: true, facts: facts, tags: tags))
    }

    private func read(_ file: ServedFile, _ kind: Sidecar.Kind, at path: [UInt8]) -> FolderIndex.SidecarFacts? {
        do throws(Sidecar.ReadError) {
            let sidecar = try Sidecar(file, kind)
            return FolderIndex.SidecarFacts(tags: sidecar.tags, creator: sidecar.creator)
        } catch {
            let name = CleanText.line(String(decoding: path, as: UTF8.self), limit: 300)
            warn("cannot use '\(name)': \(error.why); serving its clip without it")
            return nil
        }
    }
}
