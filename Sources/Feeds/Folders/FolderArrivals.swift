import Model

/// Decides from folder walks which clips are new and complete, and which are gone. A value.
///
/// A clip is complete when its writer has closed it or moved it there. If that is unknown,
/// it is complete when its size is the same at two checks.
struct FolderArrivals {
    /// A clip by its absolute path, and what lies beside it.
    struct Clip: Equatable {
        var path: [UInt8]
        var beside: SidecarSet = []
        /// The suffixes of its subtitles.
        var captions: [String] = []
    }

    struct Change {
        /// In natural order.
        var new: [Clip] = []
        var lost: Set<Item.ID> = []

        var isEmpty: Bool { new.isEmpty && lost.isEmpty }
    }

    /// The properties of a file that decide.
    struct Facts: Equatable {
        /// In bytes.
        var size: Int64
        /// It has another name, or leads to another file: it is not being written under this name.
        var isLink: Bool
    }

    private struct Waiting {
        /// As it would be shown.
        var clip: Clip
        /// In bytes at the last check; nil where inotify reports the end of writing.
        var size: Int64?
    }

    /// The hashes of the paths of all clips that are shown.
    private var shown: Set<UInt64>
    private var lists: [PathList]
    private var waiting: [[UInt8]: Waiting] = [:]

    /// - Parameter lists: the clips that are shown, one list for each folder.
    init(_ lists: [PathList]) {
        self.lists = lists
        shown = []
        shown.reserveCapacity(lists.reduce(0) { $0 + $1.count })
        for list in lists { for index in 0..<list.count { shown.insert(Self.number(list.path(at: index))) } }
    }

    private static func number(_ path: [UInt8]) -> UInt64 { ItemID.number(ofBytes: path) }

    /// Whether there are clips to be looked at again.
    var wantsLook: Bool { waiting.values.contains { $0.size != nil } }

    /// The folders were walked again.
    ///
    /// - Parameters:
    ///   - found: a list for each folder, in the same order.
    ///   - facts: nil for what is gone.
    mutating func walked(
        _ found: [PathList], writing: ([UInt8]) -> FolderWatch.Writing?, facts: ([UInt8]) -> Facts?
    ) -> Change {
        var (change, there, stillWaiting) = (Change(), Set<UInt64>(minimumCapacity: shown.count), waiting)
        stillWaiting.removeAll()
        for list in found {
            for index in 0..<list.count {
                let path = list.path(at: index)
                let number = Self.number(path)
                // One folder may lie in another.
                guard there.insert(number).inserted, !shown.contains(number) else { continue }
                let clip = Clip(path: path, beside: list.sidecars(at: index), captions: list.captions(at: index))
                switch writing(path) {
                case .done where facts(path).map { $0.size > 0 } ?? false: change.new.append(clip)
                case .underWay where facts(path)?.isLink == true: change.new.append(clip)
                // One that was closed empty is still to be filled.
                case .done, .underWay: stillWaiting[path] = Waiting(clip: clip)
                case nil:
                    guard let size = waiting[path]?.size ?? facts(path)?.size else { continue }
                    stillWaiting[path] = Waiting(clip: clip, size: size)
                }
            }
        }
        waiting = stillWaiting
        for list in lists {
            for index in 0..<list.count {
                let number = Self.number(list.path(at: index))
                if !there.contains(number), shown.remove(number) != nil { change.lost.insert(list.id(at: index)) }
            }
        }
        lists = found
        show(&change)
        return change
    }

    /// Checks the clips again whose end of writing is not reported.
    mutating func look(_ facts: ([UInt8]) -> Facts?) -> Change {
        var change = Change()
        for (path, known) in waiting {
            guard let before = known.size else { continue }
            let now = facts(path)?.size
            if now == before, before > 0 {
                change.new.append(known.clip)
                waiting[path] = nil
            } else {
                waiting[path] = now.map { Waiting(clip: known.clip, size: $0) }
            }
        }
        show(&change)
        return change
    }

    private mutating func show(_ change: inout Change) {
        change.new.sort { left, right in
            left.path.withUnsafeBufferPointer { left in
                right.path.withUnsafeBufferPointer { NaturalOrder.isBefore(left, $0) }
            }
        }
        for clip in change.new { shown.insert(Self.number(clip.path)) }
    }
}
