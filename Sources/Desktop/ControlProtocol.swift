import Model

/// The language of the control socket: a client sends one line of JSON, flick answers with one and closes the
/// connection (docs/internals/control.md). Pure.
enum ControlProtocol {
    static let version = 1
    /// The most bytes of a request, without its newline.
    static let requestLimit = 1_024
    /// The most bytes of an answer.
    static let answerLimit = 64 << 10

    static let commands: [(name: String, command: DesktopCommand)] = [
        ("next", .next), ("previous", .previous), ("pause", .playPause), ("like", .like), ("status", .status),
    ]

    static func request(_ command: DesktopCommand) -> [UInt8] {
        var line = JSONLine()
        line.put("version", .integer(version))
        line.put("command", .text(commands.first { $0.command == command }?.name ?? ""))
        return line.finished()
    }

    /// The command of a line, or why it is refused.
    static func command(of line: some Collection<UInt8>) -> Result<DesktopCommand, DesktopError> {
        var rest: [UInt8]? = Array(line)
        var parser = JSONParser {
            defer { rest = nil }
            return rest ?? []
        }
        let request: JSON
        do throws(JSONError) {
            guard let value = try parser.value(upTo: requestLimit), case .object = value else {
                return .failure(DesktopError("the request is not a JSON object"))
            }
            try parser.end()
            request = value
        } catch {
            return .failure(DesktopError("the request is not JSON: \(error.why)"))
        }
        guard request["version"]?.asCount == version else {
            return .failure(DesktopError("unsupported version; this flick supports version \(version)"))
        }
        guard case .text(let name)? = request["command"] else {
            return .failure(DesktopError("the request has no command"))
        }
        guard let found = commands.first(where: { $0.name == name }) else {
            return .failure(DesktopError("unknown command '\(CleanText.line(name, limit: 40))'"))
        }
        return .success(found.command)
    }

    static func answer(_ result: Result<NowPlaying, DesktopError>) -> [UInt8] {
        var line = JSONLine()
        line.put("version", .integer(version))
        switch result {
        case .success(let playing):
            line.put("ok", .flag(true))
            playing.put(in: &line)
        case .failure(let error):
            line.put("ok", .flag(false))
            line.put("error", .text(error.description))
        }
        return line.finished()
    }
}

/// What flick has answered. A value.
public struct ControlAnswer: Sendable {
    private let fields: JSON
    /// The line as it came, without control characters.
    public let line: String

    /// Throws what flick refused, or that it is no answer.
    init(_ line: [UInt8]) throws(DesktopError) {
        var rest: [UInt8]? = line
        var parser = JSONParser {
            defer { rest = nil }
            return rest ?? []
        }
        var read: JSON?
        do throws(JSONError) {
            read = try parser.value(upTo: ControlProtocol.answerLimit)
            try parser.end()
        } catch { throw DesktopError("unexpected response from flick: \(error)") }
        guard let fields = read, let isDone = fields["ok"]?.asFlag else {
            throw DesktopError("unexpected response from flick")
        }
        guard isDone else {
            throw DesktopError(CleanText.line(fields["error"]?.asText(limit: 400) ?? "refused"))
        }
        self.fields = fields
        self.line = CleanText.line(String(decoding: line, as: UTF8.self), limit: ControlProtocol.answerLimit)
    }

    /// For people, in lines: what plays, where, and its link.
    public var lines: [String] {
        guard let title = text("title") else { return ["No clip"] }
        let isPaused = fields["paused"]?.asFlag ?? true
        let name = [title, text("creator")].compactMap(\.self).joined(separator: " · ")
        let clocks = ["position", "duration"].compactMap { fields[$0]?.asNumber }
            .map { Label.clock(.seconds(min(max($0, 0), 1e9))) }
        var facts = [clocks.joined(separator: " / "), text("place") ?? ""]
        if let volume = fields["volume"]?.asCount {
            facts.append(fields["muted"]?.asFlag == true ? "muted" : "volume \(volume) %")
        }
        if fields["liked"]?.asFlag == true { facts.append("liked") }
        return [
            "\(isPaused ? "Paused" : "Playing"): \(name)", facts.filter { !$0.isEmpty }.joined(separator: " · "),
            text("url"),
        ].compactMap(\.self)
    }

    private func text(_ key: String) -> String? {
        fields[key]?.asText(limit: CleanText.limit).map { CleanText.line($0) }
    }
}
