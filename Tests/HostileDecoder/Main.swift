import CHostileDecoder
import CSandbox
import Foundation
import Synchronization
import TestSupport
import Wire

/// A decoder in the hands of the file's author, in the place of flick-decoder: the clip's name says what it does, the
/// number of a `Misdeed`. Of any other name it plays a still picture as an honest decoder does; "contended" fights over
/// a lock before that, "thread" reports in the container's name whether the id of the copied thread is right, and
/// "silent-once" says nothing in the first decoder that opens the clip. With the argument "work" it does what honest
/// decoders do in the sandbox, and exits with the number of the step that failed.
@main
enum HostileProgram {
    /// Two threads of a decoder contend for it.
    private static let contended = Mutex(0)

    static func main() {
        if CommandLine.arguments.dropFirst() == ["work"] { _exit(hostile_work(flick_confine)) }
        // A lock caches the id of the thread that takes it, here of the nursery's.
        contended.withLock { $0 = 0 }
        DecoderSide.serve(confine: hostile_remember_thread) { channel, ring, _ in
            let hand = HostileHand(channel: channel, ring: ring)
            do { try act(hand) } catch {
                // flick has closed the channel: the process ends with this thread.
            }
        }
    }

    private static func act(_ hand: HostileHand) throws {
        try hand.greet()
        let name = URL(string: hand.url)?.deletingPathExtension().lastPathComponent ?? ""
        if name == "contended" { contend() }
        if name == "silent-once", try isFirst(of: hand.url) { try hand.hearAll() }
        if let number = Int(name), Misdeed.all.indices.contains(number) {
            try Misdeed.all[number].deed(hand)
        } else {
            try hand.open {
                if name == "thread" { $0.container = "\(hostile_look_up_remembered_thread())" }
            }
            try hand.play()
        }
    }

    /// Whether no decoder has opened this clip before. It leaves a file beside the clip.
    private static func isFirst(of clip: String) throws -> Bool {
        guard let mark = URL(string: clip)?.appendingPathExtension("opened"),
            !FileManager.default.fileExists(atPath: mark.path)
        else { return false }
        try Data().write(to: mark)
        return true
    }

    /// Locks and unlocks on two threads at the same time until each has had to wait for the other many times.
    private static func contend() {
        let rounds = 200_000
        let other = Thread { for _ in 0..<rounds { contended.withLock { $0 += 1 } } }
        other.start()
        for _ in 0..<rounds { contended.withLock { $0 += 1 } }
        while contended.withLock({ $0 }) < 2 * rounds { sched_yield() }
    }
}
