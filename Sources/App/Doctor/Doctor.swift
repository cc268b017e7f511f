import Audio
import Cache
import Dispatch
import Feeds
import Model
import Platform
import Player
import Screen

/// One thing that `flick doctor` checked. A value.
struct Checkup: Equatable {
    enum Verdict: String {
        case good
        /// Missing or wrong.
        case missing
        case limited

        /// The symbol alone is enough; the colour only helps.
        func mark(inColor: Bool) -> String {
            let (shape, color) =
                switch self {
                case .good: ("✓", 32)
                case .limited: ("~", 33)
                case .missing: ("✗", 31)
                }
            return inColor ? "\u{1B}[\(color)m\(shape)\u{1B}[0m" : shape
        }
    }

    var subject: String
    var verdict: Verdict
    var found: String
    /// What to do about it; nil if nothing needs to be done.
    var advice: String?
}

/// `flick doctor`: shows what works, what is missing, and how to get it. Returns false if flick cannot play at all
/// because there is no decoder or the configuration is wrong.
///
/// - Parameters:
///   - config: the configuration file, if one is given.
///   - cacheFolder: the cache's folder, if one is given.
@MainActor
public func doctor(json: Bool, config: String?, cacheFolder: String?) throws -> Bool {
    try beginThreads()
    let file = Setup.file(named: config)
    let options = CacheOptions(file?.configuration.cache ?? .init(), folder: Setup.folder(named: cacheFolder))
    let configuration = file?.configuration ?? Configuration()
    // Python takes its time to begin: it does so while the terminal and the sound are asked.
    let ytDLP = Checkup.YTDLPCheck(
        YTDLP(named: configuration.tools.ytDLP, proxy: configuration.network.proxy))
    let checkups =
        decoder() + Checkup.configuration(file) + Checkup.sources(SourceFile(beside: config))
        + [Checkup.cache(options), Checkup.network()] + terminal(file?.configuration.interface ?? .init())
        + [sound(), demo(), ytDLP.checkup].compactMap(\.self)
    var output = StandardOutput()
    let isColored = isatty(STDOUT_FILENO) == 1 && ColorMode.suiting(.current) != .mono
    for checkup in checkups {
        if json {
            var line = JSONLine()
            line.put("check", .text(checkup.subject))
            line.put("verdict", .text(checkup.verdict.rawValue))
            line.put("found", .text(checkup.found))
            line.put("advice", checkup.advice.map { .text($0) } ?? .null)
            output.write(line.object + "\n")
        } else {
            output.write("\(checkup.verdict.mark(inColor: isColored)) \(checkup.subject): \(checkup.found)\n")
            if let advice = checkup.advice { output.write("    \(advice)\n") }
        }
    }
    try output.finish()
    return !checkups.contains { $0.verdict == .missing && ["decoder", "configuration"].contains($0.subject) }
}

/// Starts the decoder. If one of libav's libraries is missing, it ends before it sends its greeting.
private func decoder() -> [Checkup] {
    guard let path = Installation.current().decoder else {
        return [
            Checkup(
                subject: "decoder", verdict: .missing,
                found: "flick-decoder not found beside flick or in ../libexec/flick",
                advice: "run `make build`, or reinstall flick with `make install`")
        ]
    }
    do {
        let confinement = try DecoderCheck.greeting(path: path)
        return [
            Checkup(subject: "decoder", verdict: .good, found: path, advice: nil), .sandbox(confinement),
        ]
    } catch {
        return [.decoder(at: path, error: error, missing: Checkup.missingLibraries(of: path))]
    }
}

/// Takes over the terminal until it has answered.
@MainActor
private func terminal(_ interface: Configuration.Interface) -> [Checkup] {
    let name = CleanText.line(TerminalEnvironment.current.term)
    guard isatty(STDOUT_FILENO) == 1 else {
        return [
            Checkup(
                subject: "terminal", verdict: .limited, found: "the output is not a terminal (TERM=\(name))",
                advice: "run flick in a terminal; `flick preview` works anywhere")
        ]
    }
    do {
        let terminal = try Terminal(
            TerminalOptions(
                color: interface.color.choice, pictureMode: interface.surface.choice, output: interface.output.choice))
        defer { terminal.restore() }
        terminal.waitForAnswers()
        let capabilities = terminal.capabilities
        let size = "\(terminal.size.columns)×\(terminal.size.rows)"
        let cell = terminal.cellPixels.map { ", cells of \($0.width)×\($0.height) pixels" } ?? ""
        let version = capabilities.version.map { ", \(CleanText.line($0))" } ?? ""
        return [
            Checkup(subject: "terminal", verdict: .good, found: "\(name)\(version), \(size)\(cell)", advice: nil),
            colours(capabilities.color), .output(of: terminal), .pixels(of: terminal),
            Checkup(
                subject: "synchronised updates", verdict: capabilities.hasSynchronisedUpdate ? .good : .limited,
                found: capabilities.hasSynchronisedUpdate ? "supported (mode 2026)" : "not supported; frames may tear",
                advice: nil),
        ]
    } catch {
        return [Checkup(subject: "terminal", verdict: .missing, found: "\(error)", advice: nil)]
    }
}

private func colours(_ mode: ColorMode) -> Checkup {
    switch mode {
    case .truecolor: Checkup(subject: "colours", verdict: .good, found: "24-bit", advice: nil)
    case .palette256:
        Checkup(
            subject: "colours", verdict: .limited, found: "256",
            advice: tmuxAdvice
                ?? "if the terminal shows 24-bit colours, set COLORTERM=truecolor, or pass --color truecolor")
    case .palette16:
        Checkup(
            subject: "colours", verdict: .limited, found: "16", advice: tmuxAdvice ?? "set TERM to the terminal's type"
        )
    case .mono:
        Checkup(
            subject: "colours", verdict: .limited, found: "none",
            advice: "unset NO_COLOR, or set TERM to the terminal's type")
    }
}

/// Within tmux `TERM` names tmux itself.
private var tmuxAdvice: String? {
    TerminalEnvironment.current["TMUX"].map { _ in
        "if the terminal shows 24-bit colours, put \(tmuxLines) into ~/.tmux.conf and restart tmux"
    }
}

/// What tmux needs to pass 24-bit colours on, and to say so.
private let tmuxLines = "`set -as terminal-features \",*:RGB\"` and `set-environment -g COLORTERM truecolor`"

/// Opens the device as browsing does.
private func sound() -> Checkup {
    let answered = DispatchSemaphore(value: 0)
    let output = SDLOutput(changed: { answered.signal() })
    // ALSA prints eight lines on standard error for each device that it cannot open. The result is reported below.
    let hushed = StandardErrorHush()
    defer { hushed.end() }
    output.open()
    defer { output.close() }
    _ = answered.wait(timeout: .now() + 3)
    switch output.state {
    case .ready: return Checkup(subject: "sound", verdict: .good, found: "48 kHz stereo", advice: nil)
    case .unavailable(let error):
        return Checkup(
            subject: "sound", verdict: .limited,
            found: "no device: \(CleanText.line(error.detail)); clips play without audio",
            advice: "start PulseAudio or PipeWire, or choose a driver with SDL_AUDIODRIVER")
    case .opening, .closed:
        return Checkup(
            subject: "sound", verdict: .limited,
            found: "the device does not respond; clips play without audio until it does",
            advice: "check the sound server, or choose a driver with SDL_AUDIODRIVER")
    }
}

/// Redirects standard error to /dev/null until `end`.
private struct StandardErrorHush {
    /// A duplicate of the original descriptor; -1 if it cannot be duplicated: then standard error is not redirected.
    private let kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)

    init() {
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        guard null >= 0 else { return }
        if kept >= 0 { dup2(null, STDERR_FILENO) }
        close(null)
    }

    func end() {
        guard kept >= 0 else { return }
        dup2(kept, STDERR_FILENO)
        close(kept)
    }
}

private func demo() -> Checkup {
    guard let demo = Installation.current().demo else {
        return Checkup(
            subject: "demo feed", verdict: .limited, found: "not installed", advice: "run `make demo-assets`")
    }
    return Checkup(subject: "demo feed", verdict: .good, found: demo, advice: nil)
}
