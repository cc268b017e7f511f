import CProcess

/// Creates decoders: a process that has loaded libav once, and copies
/// itself for each of them in about a millisecond instead of thirty.
///
/// It is started with the first requested decoder. If it ends, its decoders live on, and it is started again, after
/// a pause that doubles. The decoders end with the `Nursery`, and each `DecoderProcess` keeps it. From any thread.
public final class Nursery: Sendable {
    private let keeper: NurseryKeeper
    /// The program flick-decoder.
    public let path: String

    /// - Parameter path: absolute.
    public init(path: String) {
        self.path = path
        keeper = NurseryKeeper(path: path)
    }

    deinit { keeper.end() }

    /// A new decoder. Returns at once, before there is a process;
    /// `DecoderProcess.waitUntilStarted` throws if it cannot be started.
    public func decoder() throws(WireError) -> DecoderProcess {
        let ring = try PictureRing()
        var pair: [Int32] = [-1, -1]
        let paired = flick_socket_pair(&pair, 1 << 20)
        guard paired == 0 else { throw .system(call: "socketpair", code: -paired) }
        let process = DecoderProcess(channel: DecoderChannel(descriptor: pair[0]), ring: ring, nursery: self)
        keeper.serve(process, channel: pair[1])
        return process
    }

    /// The process id of the nursery; nil while it is not running.
    public var pid: Int32? { keeper.pid }

    /// The decoders that are not reaped yet.
    var children: DecoderChildren { keeper.children }

    /// Ends the nursery and all its decoders. Returns at once.
    public func end() { keeper.end() }

    /// After `end`: blocks for a moment, until nothing is left of the nursery. Its decoders are still to be reaped.
    public func waitForEnd() { keeper.waitForEnd() }
}
