import CTestTerminal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Starts a program, found in PATH if its name has no slash. The caller waits for its end. Any thread; does not block.
///
/// - Parameters:
///   - terminal: the path of a terminal that it reads from and writes to, as the leader of its own session: the first
///     terminal that such a program opens becomes its controlling one. Without it, nothing is read, and what is
///     printed is dropped.
///   - descriptors: what it inherits besides, and as which of its descriptors.
public func spawn(
    _ arguments: [String], terminal: String? = nil, descriptors: [(from: Int32, to: Int32)] = [],
    environment: [String: String]
) throws -> pid_t {
    #if os(Linux)
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
    #else
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }
    // The testing library's threads block every signal; started programs must not inherit that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | (terminal != nil ? flick_spawn_new_session() : 0))
    posix_spawn_file_actions_addopen(&actions, 0, terminal ?? "/dev/null", O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    for (from, to) in descriptors { posix_spawn_file_actions_adddup2(&actions, from, to) }
    // Not what other tests have open just now: where that is a thousand files, PostgreSQL refuses to begin.
    let last = descriptors.map(\.to).max() ?? 2
    let refusal = flick_spawn_close_from(&actions, max(last, 2) + 1)
    guard refusal == 0 else {
        throw PTYProcess.Failure(description: "cannot start \(arguments[0]): \(String(cString: strerror(refusal)))")
    }
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in argv + envp { free(text) } }
    var child: pid_t = 0
    let code = posix_spawnp(&child, arguments[0], &actions, &attributes, argv, envp)
    guard code == 0 else {
        throw PTYProcess.Failure(description: "cannot start \(arguments[0]): \(String(cString: strerror(code)))")
    }
    return child
}
