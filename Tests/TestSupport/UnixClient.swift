import Platform

/// One request to a Unix socket. Blocks.
public enum UnixClient {
    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    /// Sends a request, and returns all that comes until the other side closes.
    public static func ask(_ path: String, _ request: String) throws -> [UInt8] {
        let descriptor = socket(AF_UNIX, stream, 0)
        guard descriptor >= 0 else { throw Socket.Error(call: "socket", code: errno) }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { throw Socket.Error(call: "connect", code: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
            }
        }
        guard code == 0 else { throw Socket.Error(call: "connect", code: code) }
        let bytes = Array(request.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw Socket.Error(call: "write", code: errno)
        }
        var (answer, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
        while case let count = read(descriptor, &buffer, buffer.count), count > 0 { answer += buffer[..<count] }
        return answer
    }
}
