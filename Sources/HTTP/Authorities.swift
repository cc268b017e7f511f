internal import NIOSSL
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Whose signatures under certificates count. The environment decides as with curl: `SSL_CERT_FILE` in place of the system's, the folders of
/// `SSL_CERT_DIR`, separated by colons, in addition.
/// Nothing is read before it is needed. Any thread.
final class Authorities: Sendable {
    private enum Found: Sendable {
        case configuration(TLSConfiguration)
        /// The environment names what cannot be read.
        case nothing
    }

    private let file: String?
    private let folders: [String]
    private let found = Mutex<Found?>(nil)

    /// - Parameter environment: returns the value of a variable.
    init(environment: (String) -> String?) {
        func path(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        file = path("SSL_CERT_FILE")
        folders = path("SSL_CERT_DIR")?.split(separator: ":").map(String.init) ?? []
    }

    /// How connections are secured: by TLS 1.2 or newer. nil if what the environment names cannot be read. Blocks on the disk the first time.
    var configuration: TLSConfiguration? {
        let found = found.withLock { found in
            let known = found ?? read()
            found = known
            return known
        }
        if case .configuration(let configuration) = found { return configuration }
        return nil
    }

    private func read() -> Found {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let file {
            guard access(file, R_OK) == 0 else { return .nothing }
            configuration.trustRoots = .file(file)
        }
        let read = folders.compactMap(Authorities.certificates)
        guard folders.isEmpty || !read.isEmpty else { return .nothing }
        configuration.additionalTrustRoots = read.map { .certificates($0) }
        return .configuration(configuration)
    }

    /// Those of a folder, which OpenSSL names by a hash of their subjects: "1a2b3c4d.0". nil if there is no such folder.
    private static func certificates(in folder: String) -> [NIOSSLCertificate]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var certificates: [NIOSSLCertificate] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].count == 8, parts[0].allSatisfy(\.isHexDigit),
                parts[1].allSatisfy(\.isNumber)
            else { continue }
            // A link that leads nowhere or a file that cannot be read is passed over, as OpenSSL does; the others still count.
            certificates += (try? NIOSSLCertificate.fromPEMFile(folder + "/" + name)) ?? []
        }
        return certificates
    }
}
