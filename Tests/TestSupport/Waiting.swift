import Foundation

/// Asks until `condition` holds, every 10 ms, as other programs do not say when it does. Blocks. False if that takes longer than `limit`.
public func holds(within limit: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < end else { return false }
        usleep(10_000)
    }
    return true
}
