import Foundation

/// Why there is no figure: its subject did not run, failed, or showed nothing.
struct NotMeasured: Error, CustomStringConvertible {
    var description: String
    init(_ why: String) { description = why }
}

/// The results of the benchmarks: one line for each figure, with its bound and whether it is met.
struct Report {
    private(set) var misses: [String] = []
    private(set) var unmeasured: [String] = []

    /// 0 if all figures are met, 1 if one is missed, 3 if one was not measured.
    var exitStatus: Int32 { !unmeasured.isEmpty ? 3 : misses.isEmpty ? 0 : 1 }

    mutating func section(_ title: String) { print("\n\(title)") }

    /// A figure with its bound, which is met if `value <= bound` (or `>=` with `atLeast`). NaN is not measured.
    mutating func figure(_ name: String, _ value: Double, _ unit: String, atMost bound: Double) {
        guard !value.isNaN else { return omit(name, "nothing to measure") }
        line(name, "\(format(value)) \(unit)", "at most \(format(bound))", isMet: value <= bound)
    }

    mutating func figure(_ name: String, _ value: Double, _ unit: String, atLeast bound: Double) {
        guard !value.isNaN else { return omit(name, "nothing to measure") }
        line(name, "\(format(value)) \(unit)", "at least \(format(bound))", isMet: value >= bound)
    }

    /// A figure, or a whole section, that was not measured.
    mutating func omit(_ name: String, _ why: String) {
        unmeasured.append("\(name): \(why)")
        print("  \(pad(name, 58))  NOT MEASURED: \(why)")
    }

    /// A figure without a bound: of another program, or the base of a ratio.
    func note(_ name: String, _ text: String) { print("  \(pad(name, 58))  \(text)") }

    func note(_ name: String, _ value: Double, _ unit: String) { note(name, "\(format(value)) \(unit)") }

    private mutating func line(_ name: String, _ value: String, _ bound: String, isMet: Bool) {
        if !isMet { misses.append("\(name): \(value), wanted \(bound)") }
        print("  \(pad(name, 58))  \(pad(value, 16))  \(pad(bound, 18))  \(isMet ? "met" : "NOT MET")")
    }

    private func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func format(_ value: Double) -> String {
        guard value.isFinite else { return "\(value)" }
        let thousandths = Int((value * 1_000).rounded())
        if abs(value) >= 100 { return String(Int(value.rounded())) }
        let digits = String(abs(thousandths) % 1_000)
        return "\(thousandths < 0 ? "-" : "")\(abs(thousandths) / 1_000)."
            + String(repeating: "0", count: 3 - digits.count) + digits
    }
}

extension Array where Element == Double {
    /// Of positive numbers.
    var geometricMean: Double { exp(map(log).reduce(0, +) / Double(count)) }

    /// The value below which the fraction `share` (0 … 1) of all values lie; NaN without values.
    func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return .nan }
        return sorted()[Swift.min(count - 1, Int((Double(count - 1) * share).rounded()))]
    }

    var median: Double { quantile(0.5) }
}
