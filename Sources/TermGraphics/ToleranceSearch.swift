/// Finds the least tolerance whose update fits into a number of bytes, from one trial to the next. A value.
///
/// A trial costs as much as an update, so the search ends once one fits and uses `enough` of the room.
struct ToleranceSearch {
    /// The share of the room from which on a trial is good enough.
    static let enough = 0.9
    /// What the next trial aims at.
    private static let aim = 0.95
    static let trials = 8
    /// The least step up while nothing fits.
    private static let step = 0.03

    private typealias Trial = (tolerance: Double, bytes: Double)

    private let least: Double
    private let room: Double
    private var tooLarge: Trial?
    private var fitting: Trial?
    private var count = 0
    /// The power of tolerance with which updates grow smaller, as
    /// measured on clips; updated from trials that were too large.
    private var power = 4.0

    /// The tolerance that failed by the least, if the fitting one leaves much of the room
    /// unused: because the output changes in steps, or because the trials were used up.
    var finer: Double? {
        guard let fitting, let tooLarge, fitting.bytes < room * Self.enough else { return nil }
        return tooLarge.tolerance
    }

    /// - Parameter least: what the tolerance must not be less than, 0 … 1.
    init(least: Double, room: Int) {
        self.least = least
        self.room = Double(max(room, 1))
    }

    /// What a trial came to. Returns the tolerance to try next; nil if this trial is the best: it fits, or none does.
    mutating func next(after tolerance: Double, bytes: Int) -> Double? {
        count += 1
        let trial = (tolerance, Double(max(bytes, 1)))
        if trial.1 <= room {
            fitting = trial
            if tolerance <= least || trial.1 >= room * Self.enough || count >= Self.trials { return nil }
        } else {
            if let tooLarge, tooLarge.tolerance < tolerance {
                let fall = Self.log2(tooLarge.bytes) - Self.log2(trial.1)
                power = min(max(fall / (Self.log2(tolerance) - Self.log2(tooLarge.tolerance)), 1.5), 8)
            }
            tooLarge = trial
            if tolerance >= 1 { return nil }
            if count >= Self.trials { return fitting?.tolerance ?? 1 }
        }
        return estimate()
    }

    private func estimate() -> Double {
        let aim = Self.log2(room * Self.aim)
        guard let tooLarge else {
            // Only called after a trial.
            let fitting = fitting ?? (least, room)
            return max(fitting.tolerance * (fitting.bytes < room / 4 ? 0.5 : 0.8), least)
        }
        let excess = Self.log2(tooLarge.bytes) - aim
        var place = Self.log2(max(tooLarge.tolerance, 0.01)) + excess / power
        guard let fitting else { return min(max(Self.exp2(place), tooLarge.tolerance + Self.step), 1) }
        // Less than half says little: after coarse pictures the
        // screen already contains everything that is coarser still.
        if fitting.bytes * 2 > room {
            let span = Self.log2(fitting.tolerance) - Self.log2(max(tooLarge.tolerance, 0.01))
            let share = excess / (Self.log2(tooLarge.bytes) - Self.log2(fitting.bytes))
            place = Self.log2(max(tooLarge.tolerance, 0.01)) + span * share
        }
        let span = fitting.tolerance - tooLarge.tolerance
        return min(max(Self.exp2(place), tooLarge.tolerance + span * 0.1), fitting.tolerance - span * 0.1)
    }

    /// The logarithm to 2 with straight lines between its whole values, which is near enough here.
    private static func log2(_ value: Double) -> Double { Double(value.exponent) + value.significand - 1 }

    /// What `log2` gives `value` for.
    private static func exp2(_ value: Double) -> Double {
        let whole = value.rounded(.down)
        return Double(sign: .plus, exponent: Int(whole), significand: 1 + value - whole)
    }
}
