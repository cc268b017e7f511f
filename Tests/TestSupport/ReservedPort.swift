/// A free port of 127.0.0.1. As long as this object lives, the system gives it to no other process that asks for a free
/// one, and connections to it are refused. A server that sets SO_REUSEADDR, as most do, can listen there (socket(7)).
final class ReservedPort: Sendable {
    let number: UInt16
    private let descriptor: Int32

    init() throws { (descriptor, number) = try Socket.bind(port: 0) }

    deinit { Socket.close(descriptor) }
}
