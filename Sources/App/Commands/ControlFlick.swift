import Desktop
import Model

/// The task of `flick ctl`.
public enum ControlTask: String, Sendable, CaseIterable {
    case next, previous, pause, like, status

    fileprivate var command: DesktopCommand {
        switch self {
        case .next: .next
        case .previous: .previous
        case .pause: .playPause
        case .like: .like
        case .status: .status
        }
    }
}

/// `flick ctl`: sends a command to the flick that was started last. Prints its answer: with `json` as a line of JSON,
/// else only that to `status`, for people. Blocks for at most some seconds. Throws `AppError`.
public func control(_ task: ControlTask, json: Bool) throws {
    let answer: ControlAnswer
    do throws(DesktopError) { answer = try ControlClient.send(task.command, in: RuntimeFolder()) } catch {
        throw AppError(error.isCommon ? "cannot find a running flick: \(error)" : error.description)
    }
    var output = StandardOutput()
    if json {
        output.write(answer.line + "\n")
    } else if task == .status {
        for line in answer.lines { output.write(line + "\n") }
    }
    try output.finish()
}
