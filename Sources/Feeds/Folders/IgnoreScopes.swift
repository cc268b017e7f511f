import Bytes
import Model
import Platform
import Threads

/// The rules of all folders of a walk: those of a folder go before those above it. A value.
struct IgnoreScopes {
    /// The most patterns for a folder's entries, with those of the folders above.
    private static let maxPatterns = 2_000

    private struct Scope {
        var rules: IgnoreRules
        /// How many bytes of an entry's path are the folder's.
        var start: Int
        var above: Int?
        /// With those above.
        var patterns: Int
    }

    private var scopes: [Scope] = []

    /// The scope of a folder: its own rules, if it has some, else those above. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - root: an absolute path with a slash at its end.
    ///   - relative: the folder below it, empty or with a slash at its end.
    /// - Returns: the scope, and what is wrong with its file, in one line.
    mutating func enter(_ relative: [UInt8], of root: [UInt8], above: Int?) -> (scope: Int?, warning: String?) {
        let path = root + relative + Array(IgnoreRules.name.utf8)
        // A link may lead anywhere, also where a served folder must not.
        var facts = stat()
        guard path.withCString({ lstat($0, &facts) }) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            return (above, nil)
        }
        let name = ShownName.of(FileURL.url(path: path))
        let rules: IgnoreRules
        do throws(BytesError) {
            rules = IgnoreRules(try FileProvider().readAll(FileURL.url(path: path), limit: IgnoreRules.sizeLimit))
        } catch {
            var why = error.why
            if case .tooLarge = error.reason { why = "it is larger than \(IgnoreRules.sizeLimit >> 10) KB" }
            return (above, "\(name) is ignored: \(why)")
        }
        let patterns = rules.count + (above.map { scopes[$0].patterns } ?? 0)
        guard patterns <= Self.maxPatterns else {
            return (
                above, "\(name) is ignored: there are more than \(Self.maxPatterns) patterns with those above it"
            )
        }
        guard rules.count > 0 else { return (above, nil) }
        scopes.append(Scope(rules: rules, start: relative.count, above: above, patterns: patterns))
        return (scopes.count - 1, nil)
    }

    /// Whether an entry of a folder with that scope is left out.
    ///
    /// - Parameter path: below the root, without a slash at its end.
    func leavesOut(_ path: [UInt8], isFolder: Bool, scope: Int?) -> Bool {
        var next = scope
        while let scope = next {
            if let verdict = scopes[scope].rules.verdict(on: path[scopes[scope].start...], isFolder: isFolder) {
                return verdict
            }
            next = scopes[scope].above
        }
        return false
    }
}
