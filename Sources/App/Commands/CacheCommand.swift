import Cache
import Engagement
import Feeds
import Model
import Platform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The task of `flick cache`.
public enum CacheTask: String, Sendable, CaseIterable {
    case status, list, verify, clear
}

/// `flick cache`: inspects the cache on disk without a network. Returns false
/// if damaged bytes were found. Throws `AppError`.
public func cache(_ task: CacheTask, json: Bool, setup: Setup) throws -> Bool {
    setup.printWarnings()
    guard let options = setup.cache else {
        throw AppError(
            "no cache directory: neither XDG_CACHE_HOME nor HOME is set; pass --cache-dir")
    }
    var output = StandardOutput()
    var report = CacheReport(json: json, now: Date().timeIntervalSince1970)
    do {
        let inspection = try CacheInspection(options)
        var isSound = true
        switch task {
        case .status: output.write(report.status(try inspection.status()))
        case .list:
            report.columns = standardOutputSize()?.columns
            let entries = try inspection.entries()
            report.titles = cachedTitles(of: entries, library: ReportSettings(stateFolder: nil).libraryPath)
            output.write(report.list(entries))
        case .verify:
            var progress = VerifyProgress()
            let verification = try inspection.verify { entry, badBytes in
                if badBytes > 0 {
                    progress.clear()
                    output.write(report.damage(entry, badBytes: badBytes))
                }
                progress.checked(entry.bytes)
            }
            progress.clear()
            output.write(report.verification(verification))
            isSound = verification.badBytes == 0
        case .clear: output.write(report.cleared(try inspection.clear()))
        }
        try output.finish()
        return isSound
    } catch let error as CacheInspectionError {
        throw AppError("\(error)")
    }
}

/// The titles of cached clips that flick remembers, by their entries' URLs: also of those that were only fetched.
func cachedTitles(of entries: [CacheInspection.Entry], library path: String?) -> [String: String] {
    let cached = Set(entries.map(\.url))
    // `try?`: without a library that can be read, addresses are shown.
    guard let path, let store = try? Store(reading: path),
        let known = try? store.items(
            lookingAt: 50_000, where: { AssetKey($0).map { cached.contains($0.text) } ?? false })
    else { return [:] }
    let named = known.compactMap { entry -> (String, String)? in
        guard let item = ItemJSON.item(ofLine: entry.json, feed: entry.feed, privateHosts: .always),
            let key = AssetKey(entry.url)
        else { return nil }
        return item.title.map { (key.text, $0) }
    }
    // The newest comes first.
    return Dictionary(named, uniquingKeysWith: { first, _ in first })
}

/// Shows the progress of checking a large cache, if standard error is a terminal.
private struct VerifyProgress {
    private let isShown = isatty(STDERR_FILENO) == 1
    private let begun = ContinuousClock.now
    private var shownAt: ContinuousClock.Instant?
    private var entries = 0
    private var bytes: Int64 = 0

    /// Prints at most five times a second, and only after the first second: short checks need no progress.
    mutating func checked(_ more: Int64) {
        entries += 1
        bytes += more
        let now = ContinuousClock.now
        guard isShown, now - begun >= .seconds(1), shownAt.map({ now - $0 >= .milliseconds(200) }) ?? true else {
            return
        }
        shownAt = now
        write("\r\u{1B}[Kchecked \(entries) entries, \(Amount.text(bytes: bytes))")
    }

    mutating func clear() {
        if shownAt != nil { write("\r\u{1B}[K") }
        shownAt = nil
    }

    private func write(_ text: String) {
        var text = text
        // A failure to show progress does not matter.
        _ = text.withUTF8 { systemWrite(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
