import Platform

/// Starts a program, found in PATH if its name has no slash. The caller waits for its end. Any thread; does not block.
///
/// - Parameters:
///   - terminal: the path of a terminal that it reads from and writes to. It becomes the leader of a new session: the
///     first terminal that such a program opens becomes its controlling one. Without it, the program reads nothing, and
///     its output is dropped.
///   - descriptors: what it inherits besides, and as which of its descriptors.
public func spawn(
    _ arguments: [String], terminal: String? = nil, descriptors: [(from: Int32, to: Int32)] = [],
    environment: [String: String]
) throws -> pid_t {
    var streams: [Int32: Invocation.Stream] = [:]
    if let terminal {
        for number in 0...2 as ClosedRange<Int32> { streams[number] = .file(terminal, O_RDWR) }
    }
    for (from, to) in descriptors { streams[to] = .descriptor(from) }
    let invocation = Invocation(
        arguments, environment: environment, streams: streams, group: terminal != nil ? .session : .same)
    do throws(SystemError) { return try invocation.start() } catch {
        throw PTYProcess.Error(description: "cannot start \(arguments[0]): \(SystemError.text(error.code))")
    }
}
