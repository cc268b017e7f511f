#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection to a local port through which exactly the given bytes are sent. Used by one thread.
public final class RawClient {
    private var descriptor: Int32

    public init(port: UInt16) throws { descriptor = try Socket.connect(port: port) }

    deinit { close() }

    public func send(_ text: String) { _ = Socket.send(descriptor, Array(text.utf8)[...]) }

    /// Everything until the other side ends the connection. Blocks.
    public func readToEnd() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = Socket.receive(descriptor)
            if bytes.isEmpty { return all }
            all += bytes
        }
    }

    public func close() {
        guard descriptor >= 0 else { return }
        Socket.close(descriptor)
        descriptor = -1
    }
}
