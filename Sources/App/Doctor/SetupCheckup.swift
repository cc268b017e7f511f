import Cache
import HTTP
import Model
import Platform

extension Checkup {
    /// Checks the configuration as a whole, then each remark on it.
    static func configuration(_ file: ConfigFile?) -> [Checkup] {
        let subject = "configuration"
        guard let file else {
            return [
                Checkup(
                    subject: subject, verdict: .good, found: "none: neither XDG_CONFIG_HOME nor HOME is set",
                    advice: nil)
            ]
        }
        let remarks = file.remarks.map { $0.checkup(of: subject, file: file.path) }
        guard remarks.allSatisfy({ $0.verdict == .good }) else { return remarks }
        let path = CleanText.line(file.path)
        let found = file.exists ? path : "\(path) does not exist; using the defaults"
        return [Checkup(subject: subject, verdict: .good, found: found, advice: nil)] + remarks
    }

    /// Checks the list of sources beside the configuration: a line for each mistake in it, or one that says how many
    /// there are; none if there is no list.
    static func sources(_ file: SourceFile?) -> [Checkup] {
        let subject = "sources"
        guard let file, access(file.path, F_OK) == 0 else { return [] }
        do throws(AppError) {
            let list = try file.read()
            let mistakes = list.mistakes.map { $0.checkup(of: subject, file: file.path) }
            guard mistakes.isEmpty else { return mistakes }
            let found = "\(CleanText.line(file.path)), \(list.sources.count)"
            return [Checkup(subject: subject, verdict: .good, found: found, advice: nil)]
        } catch {
            return [Checkup(subject: subject, verdict: .limited, found: CleanText.line(error.message), advice: nil)]
        }
    }

    /// Shows the state of the cache's folder. It does not verify the contents; `flick cache verify` does.
    static func cache(_ options: CacheOptions?) -> Checkup {
        let subject = "cache"
        guard let options else {
            return Checkup(
                subject: subject, verdict: .limited, found: "no directory for it; caching is off",
                advice: "set HOME or XDG_CACHE_HOME, or pass --cache-dir")
        }
        let folder = CleanText.line(options.folder)
        guard access(options.folder, F_OK) == 0 else {
            guard access(existing(above: options.folder) + "/.", W_OK | X_OK) == 0 else {
                let why = SystemError.text(errno)
                return Checkup(
                    subject: subject, verdict: .limited, found: "\(folder) cannot be created: \(why); caching is off",
                    advice: "create it, or pass --cache-dir")
            }
            return Checkup(
                subject: subject, verdict: .good,
                found: "\(folder) does not exist yet; it will be created on first use",
                advice: nil)
        }
        guard access(options.folder, W_OK | X_OK) == 0 else {
            let why = SystemError.text(errno)
            return Checkup(
                subject: subject, verdict: .limited, found: "\(folder) cannot be written: \(why); caching is off",
                advice: "make it writable, or pass --cache-dir")
        }
        do {
            let status = try CacheInspection(options).status()
            let kept = "\(Amount.text(bytes: status.bytes)) of \(Amount.text(bytes: status.limit))"
            let sealed = status.isSealed ? ", encrypted" : ""
            return Checkup(subject: subject, verdict: .good, found: "\(folder), \(kept)\(sealed)", advice: nil)
        } catch {
            return Checkup(
                subject: subject, verdict: .limited, found: CleanText.line("\(error)"),
                advice: error.isDamage ? "run `flick cache clear` to recreate it" : nil)
        }
    }

    /// Loads libcurl.
    static func network() -> Checkup {
        let (isUsable, found) = NetworkLibrary.check()
        return network(isUsable: isUsable, found: found)
    }

    /// - Parameter found: its version, or why it cannot be used.
    static func network(isUsable: Bool, found: String) -> Checkup {
        let (subject, found) = ("network", CleanText.line(found))
        guard !isUsable else { return Checkup(subject: subject, verdict: .good, found: found, advice: nil) }
        return Checkup(
            subject: subject, verdict: .limited, found: "\(found); only local files play",
            advice: "install libcurl 7.87 or newer (apt install libcurl4)")
    }

    /// The nearest of the folders above a path that is there. One without any is below the working folder.
    private static func existing(above path: String) -> String {
        var path = path[...]
        while access(String(path), F_OK) != 0 {
            guard let slash = path.lastIndex(of: "/") else { return "." }
            path = path[..<slash]
            if path.isEmpty { return "/" }
        }
        return String(path)
    }
}

extension ConfigDiagnostic {
    fileprivate func checkup(of subject: String, file: String) -> Checkup {
        Checkup(
            subject: subject, verdict: verdict,
            found: CleanText.line(ConfigDiagnostic.text(problem, at: line, of: file)),
            advice: remedy.map { CleanText.line($0) })
    }

    private var verdict: Checkup.Verdict {
        switch weight {
        case .note: .good
        case .warning: .limited
        case .error: .missing
        }
    }
}
