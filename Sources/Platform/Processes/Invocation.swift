internal import CPlatform

/// A program to start, and all that it has of this process: signals are at their defaults, standard streams that are
/// not listed are /dev/null, and no other descriptor is open. A value.
package struct Invocation: Sendable {
    package enum Stream: Sendable {
        /// A copy of this process's descriptor.
        case descriptor(Int32)
        /// A file that is opened with these flags. It is the user's alone if it is made.
        case file(String, Int32)
    }

    package enum Group: Sendable {
        /// That of this process.
        case same
        case own
        /// A new group in a new session: the first terminal that the program opens becomes its controlling one.
        case session
    }

    /// The file; nil: the first argument, found in PATH.
    package var path: String?
    /// The first is the program's name.
    package var arguments: [String]
    /// nil: that of this process.
    package var environment: [String: String]?
    /// By the program's numbers.
    package var streams: [Int32: Stream]
    package var group: Group

    package init(
        path: String? = nil, _ arguments: [String], environment: [String: String]? = nil,
        streams: [Int32: Stream] = [:], group: Group = .own
    ) {
        (self.path, self.arguments, self.environment) = (path, arguments, environment)
        (self.streams, self.group) = (streams, group)
    }

    /// Starts it, and returns its process id. Does not wait for it: reaping it is up to the caller.
    package func start() throws(SystemError) -> Int32 {
        var copies: [UnsafeMutablePointer<CChar>?] = []
        defer { for copy in copies { free(copy) } }
        func pointers(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
            let pointers = texts.map { strdup($0) }
            copies += pointers
            return pointers + [nil]
        }
        let streams = streams.map { number, stream in
            switch stream {
            case .descriptor(let source): flick_stream(number: number, source: source, path: nil, flags: 0)
            case .file(let path, let flags):
                flick_stream(number: number, source: -1, path: pointers([path])[0], flags: flags)
            }
        }
        let variables = environment.map { pointers($0.map { "\($0.key)=\($0.value)" }) }
        let group =
            switch group {
            case .same: FLICK_GROUP_SAME
            case .own: FLICK_GROUP_OWN
            case .session: FLICK_GROUP_SESSION
            }
        var pid: Int32 = 0
        let code = flick_spawn(path, pointers(arguments), variables, streams, streams.count, Int32(group), &pid)
        guard code == 0 else { throw SystemError("posix_spawn", code) }
        return pid
    }
}
