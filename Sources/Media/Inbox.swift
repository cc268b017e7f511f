import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What has come from flick and was not yet looked at. One thread fills it, another empties it and may wait.
///
/// Answers to reads are kept apart from orders, so that a read can wait for its own while orders pile up behind it.
final class Inbox: @unchecked Sendable {
    // @unchecked: everything below is only touched while `mutex` is locked.

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var orders: [ToDecoder] = []
    private var answers: [ToDecoder] = []
    private var changes = 0
    private var closed = false

    init() {
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        #if !canImport(Darwin)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        #endif
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Files a message.
    func put(_ message: ToDecoder) {
        locked {
            switch message {
            case .source, .data: answers.append(message)
            case .close: closed = true
            default: orders.append(message)
            }
            changes += 1
            pthread_cond_broadcast(changed)
        }
    }

    /// Nothing more will come.
    func close() {
        locked {
            closed = true
            changes += 1
            pthread_cond_broadcast(changed)
        }
    }

    var isClosed: Bool { locked { closed } }

    /// How often something has come: take it, look for what is wanted, and `wait(past:)` it if that is not there.
    var version: Int { locked { changes } }

    /// Blocks until something has come since `version` was taken, or until `time` of `MonotonicTime`.
    func wait(past version: Int, until time: Microseconds? = nil) {
        locked {
            while changes == version {
                guard let time else {
                    pthread_cond_wait(changed, mutex)
                    continue
                }
                if !waitLocked(until: time) { return }
            }
        }
    }

    /// Waits for a change, `mutex` being locked; false if `time` has come.
    private func waitLocked(until time: Microseconds) -> Bool {
        let left = time - MonotonicTime.now()
        guard left > 0 else { return false }
        #if canImport(Darwin)
            var span = timespec(tv_sec: Int(left / 1_000_000), tv_nsec: Int(left % 1_000_000) * 1_000)
            return pthread_cond_timedwait_relative_np(changed, mutex, &span) == 0
        #else
            var moment = timespec(tv_sec: Int(time / 1_000_000), tv_nsec: Int(time % 1_000_000) * 1_000)
            return pthread_cond_timedwait(changed, mutex, &moment) == 0
        #endif
    }

    /// Whether somebody wants to be elsewhere: what is being read is of no use any more.
    var hasSeek: Bool {
        locked {
            orders.contains {
                if case .seek = $0 { true } else { false }
            }
        }
    }

    /// The next order. Of several seeks in a row only the last is given, for nobody will see where the others would have led.
    func next() -> ToDecoder? {
        locked {
            while !orders.isEmpty {
                let order = orders.removeFirst()
                if case .seek = order, orders.contains(where: { if case .seek = $0 { true } else { false } }) {
                    continue
                }
                return order
            }
            return nil
        }
    }

    /// The next order that can be followed in the middle of a read: those that touch neither the place in the clip nor how it is played.
    func nextHarmless() -> ToDecoder? {
        locked {
            let index = orders.firstIndex {
                switch $0 {
                case .release, .credit, .surface, .link: true
                default: false
                }
            }
            return index.map { orders.remove(at: $0) }
        }
    }

    /// The answer to `openURL` of `id`, once.
    func takeSource(id: UInt32) -> (url: String, length: Int64, seekable: Bool, error: String)? {
        locked {
            for (index, answer) in answers.enumerated() {
                if case .source(id, let url, let length, let seekable, let error) = answer {
                    answers.remove(at: index)
                    return (url, length, seekable, error)
                }
            }
            return nil
        }
    }

    /// The answer to `read` of `id` at `offset`, once. Answers to reads of `id` that nobody waits for any more are dropped.
    func takeData(id: UInt32, offset: Int64) -> (bytes: [UInt8], error: String)? {
        locked {
            var found: (bytes: [UInt8], error: String)?
            answers.removeAll { answer in
                guard case .data(id, let place, let bytes, let error) = answer else { return false }
                if place == offset && found == nil { found = (bytes, error) }
                return true
            }
            return found
        }
    }
}
