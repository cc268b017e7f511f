import Bytes
import Model
import Platform
import Synchronization
import Threads

/// yt-dlp, which supports the clips of very many web pages (https://github.com/yt-dlp/yt-dlp). It runs as a program,
/// without the user's cookies, passwords and configuration, and writes nothing to the disk. Any thread.
public final class YTDLP: Sendable {
    /// Why it returned nothing.
    enum ResolveError: Error, Equatable, Sendable, CustomStringConvertible {
        case missing
        case program(Program.RunError)
        /// Its own error message: untrusted text.
        case refused(String)
        /// Its output is no answer.
        case nonsense
        /// The page does not have this one of its clips any more.
        case missingEntry

        var description: String {
            switch self {
            case .missing: "it is not installed"
            case .program(.notStarted(let code)): "it cannot be started: \(SystemError.text(code))"
            case .program(.silent(let limit)): "no output for \(limit.components.seconds) s"
            case .program(.slow(let limit)): "timed out after \(limit.components.seconds) s"
            case .program(.tooMuch(let limit)): "more output than \(limit >> 20) MB"
            case .program(.cancelled): "cancelled"
            case .refused(let words): CleanText.line(words, limit: 200)
            case .nonsense: "invalid output"
            case .missingEntry: "the page no longer lists this clip"
            }
        }
    }

    private struct State {
        /// Programs that run, by number.
        var running: [Int: Cancellation] = [:]
        var lastNumber = 0
        var isClosed = false
        /// Single pages that were read as a list, so that they are not resolved again when they are played at once.
        var recent = Recent<String, (info: YTDLPInfo, at: ContinuousClock.Instant)>(limit: 16)
    }

    /// The most entries of a list that are requested: it prints them when it has all.
    static let listLimit = 200
    /// The most that run at once: each uses a processor for seconds.
    private static let atOnce = 3
    /// The addresses that it prints stay valid for hours; but a live stream may have ended.
    private static let recallSpan: Duration = .seconds(300)

    private let named: String?
    private let environment: [String: String]
    private let limits: Program.Limits
    private let state = Monitor(State())

    /// - Parameters:
    ///   - named: the program's path or name in PATH; empty for none: then it is never asked.
    ///   - proxy: through which it asks servers; nil for what the environment says.
    ///   - variables: of the environment.
    public convenience init(
        named: String? = nil, proxy: String? = nil, variables: (String) -> String? = BaseFolder.environment
    ) {
        self.init(
            named: named, proxy: proxy,
            limits: Program.Limits(silence: .seconds(30), time: .seconds(120), output: 64 << 20),
            variables: variables)
    }

    init(named: String?, proxy: String?, limits: Program.Limits, variables: (String) -> String?) {
        self.named = named
        self.limits = limits
        var environment: [String: String] = [:]
        for name in Self.inherited { environment[name] = variables(name) }
        if let proxy { for name in ["http_proxy", "https_proxy", "all_proxy"] { environment[name] = proxy } }
        // Plugins are others' programs, and Python would keep what it has compiled.
        environment["YTDLP_NO_PLUGINS"] = "1"
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self.environment = environment
    }

    /// The variables that Python needs to find itself, and those of the network.
    private static let inherited = [
        "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH",
        "VIRTUAL_ENV", "SSL_CERT_FILE", "SSL_CERT_DIR", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
        "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    ]

    // MARK: The program

    /// Where it is; nil if it is missing or disabled. Looks at the disk.
    public var path: String? {
        let name = named ?? "yt-dlp"
        if name.isEmpty { return nil }
        if name.utf8.contains(UInt8(ascii: "/")) { return Self.isProgram(name) ? name : nil }
        // A relative folder of PATH would find what lies in the folder that flick was started in.
        return (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").lazy
            .filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first(where: Self.isProgram)
    }

    private static func isProgram(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// Its version, which is its release date: "2026.08.11". Blocks, at most two seconds.
    /// Throws the reason as text if the program prints no version.
    public func version() throws(Silence) -> String {
        do throws(ResolveError) {
            let limits = Program.Limits(silence: .seconds(2), time: .seconds(2), output: 1 << 10)
            let printed = try run(["--ignore-config", "--version"], limits, Cancellation())
            let version = CleanText.line(String(decoding: printed.output, as: UTF8.self), limit: 40)
            guard !version.isEmpty else { throw Self.error(printed) }
            return version
        } catch {
            throw Silence(why: "\(error)")
        }
    }

    /// Why it said nothing, in words for the user.
    public struct Silence: Error { public let why: String }

    /// Ends all that runs, at once. Nothing is started afterwards.
    public func close() {
        let running = state.change { state in
            state.isClosed = true
            return Array(state.running.values)
        }
        for cancellation in running { cancellation.cancel() }
    }

    // MARK: Questions

    /// For every question: without configuration, passwords and files; errors and nothing else on standard error; also
    /// what cannot be played now.
    private static let common = [
        "--ignore-config", "--no-cache-dir", "--no-warnings", "--no-progress", "--ignore-no-formats-error",
        "--socket-timeout", "15", "-J",
    ]

    /// The clips at a page: a list of entries without their formats, or one clip with them. Blocks.
    func list(_ url: String, _ cancellation: Cancellation) throws(ResolveError) -> YTDLPInfo {
        let wanted = YTDLPAddress(url)
        let bounds = ["--flat-playlist", "--playlist-end", "\(Self.listLimit)"]
        let info = try ask(Self.common + bounds + ["--", wanted.page], cancellation)
        let clips = info.clips(at: wanted.page)
        // Entries that are at their page have their formats even in a list. The
        // first is viewed first, so it is kept longest.
        state.withLock { state in
            for clip in clips.reversed() where !info.isList || !clip.info.formats.isEmpty {
                guard let url = clip.address?.url else { continue }
                state.recent[url] = (clip.info, .now)
            }
            _ = state.recent.trim()
        }
        guard wanted.entry != nil else { return info }
        return try Self.clip(at: wanted, in: clips)
    }

    /// One clip with its formats; of a list the first, or the one that the address names. Blocks.
    func single(_ url: String, _ cancellation: Cancellation) throws(ResolveError) -> YTDLPInfo {
        // Used once: a second request means that the recent addresses no longer work.
        let known = state.withLock { state in
            defer { state.recent[url] = nil }
            return state.recent[url].flatMap { ContinuousClock.now - $0.at < Self.recallSpan ? $0.info : nil }
        }
        if let known { return known }
        if YTDLPAddress(url).entry != nil {
            let info = try list(url, cancellation)
            state.withLock { $0.recent[url] = nil }
            return info
        }
        let bounds = ["--no-playlist", "--playlist-items", "1"]
        let info = try ask(Self.common + bounds + ["--", url], cancellation)
        return info.isList ? info.clips(at: url).first?.info ?? info : info
    }

    private static func clip(at wanted: YTDLPAddress, in clips: [YTDLPClip]) throws(ResolveError) -> YTDLPInfo {
        // The page may have only this clip now, or lead to another address.
        let clip = clips.first { $0.address == wanted } ?? clips.first { $0.name == wanted.entry }
        guard let clip else { throw .missingEntry }
        return clip.info
    }

    private func ask(_ arguments: [String], _ cancellation: Cancellation) throws(ResolveError) -> YTDLPInfo {
        let printed = try run(arguments, limits, cancellation)
        do throws(JSONError) {
            if let info = try YTDLPInfo(printed.output) { return info }
        } catch {
            // Whatever is wrong with it: standard error says more.
            throw printed.errors.isEmpty ? ResolveError.nonsense : Self.error(printed)
        }
        throw Self.error(printed)
    }

    /// The last line that it calls an error, or else the last one.
    private static func error(_ printed: Program.Printed) -> ResolveError {
        let lines = printed.errors.split { $0 == 0x0A || $0 == 0x0D }
            .map { CleanText.line(String(decoding: $0.prefix(2_000), as: UTF8.self), limit: 500) }
            .filter { !$0.isEmpty }
        let mark = "ERROR: "
        guard let line = lines.last(where: { $0.hasPrefix(mark) }) ?? lines.last else { return .nonsense }
        return .refused(String(line.hasPrefix(mark) ? line.dropFirst(mark.count) : line[...]))
    }

    private func run(
        _ arguments: [String], _ limits: Program.Limits, _ cancellation: Cancellation
    ) throws(ResolveError) -> Program.Printed {
        guard let path else { throw .missing }
        let own = Cancellation()
        let handler = cancellation.onCancel { [state] in
            own.cancel()
            state.change { _ in }
        }
        defer { cancellation.forget(handler) }
        // 0: it is not wanted any more.
        let slot: Int? = state.wait { state in
            if own.isCancelled || state.isClosed { return 0 }
            guard state.running.count < Self.atOnce else { return nil }
            state.lastNumber += 1
            state.running[state.lastNumber] = own
            return state.lastNumber
        }
        guard let number = slot, number > 0 else { throw .program(.cancelled) }
        defer { state.change { $0.running[number] = nil } }
        do throws(Program.RunError) {
            return try Program.run(
                path, arguments, environment: environment, limits: limits, cancellation: own)
        } catch {
            throw .program(error)
        }
    }
}
