import Foundation

/// nginx on loopback, with certificates of a private authority. It serves a folder over HTTPS and HTTP/2. Ends with
/// this object.
public final class Nginx: Sendable {
    public struct Error: Swift.Error, CustomStringConvertible {
        public let description: String
    }

    /// One of its servers, which listens on a separate port.
    public enum Kind: String, CaseIterable, Sendable {
        /// All is well.
        case good
        /// Its certificate has expired.
        case expired
        /// Its certificate is another host's.
        case other
        /// It speaks TLS 1.1 and nothing newer.
        case old
        /// It says goodbye (GOAWAY) behind every second request of a connection.
        case goodbye
    }

    private let folder = TemporaryFolder()
    private let process: NginxProcess

    /// The file with the authority's certificate, and a folder with it alone, named as OpenSSL looks for it.
    public var authority: String { folder.path + "/ca.pem" }
    public var authorityFolder: String { folder.path + "/authorities" }

    /// - Parameter files: what it serves, by name.
    public init(files: [String: [UInt8]]) throws {
        for (name, bytes) in files { try folder.write("files/" + name, bytes) }
        try Nginx.makeCertificates(in: folder.path)
        let path = folder.path
        process = try NginxProcess(in: folder, ports: Kind.allCases.count) { Nginx.http($0, in: path) }
    }

    /// The URL of a file. `localhost` is the name that its certificates are for.
    public func url(_ name: String, of kind: Kind = .good) -> String {
        let port = zip(Kind.allCases, process.ports).first { $0.0 == kind }?.1
        return "https://localhost:\(port ?? 0)/\(name)"
    }

    /// The requests that one of its servers has answered: protocol and connection of each.
    public func log(of kind: Kind = .good) -> [(version: String, connection: String)] {
        // A server that has answered nothing has no log.
        let text = fileText("\(folder.path)/\(kind.rawValue).log") ?? ""
        return text.split(separator: "\n").map { line in
            let words = line.split(separator: " ")
            return (String(words[0]), String(words[1]))
        }
    }

    private static func http(_ ports: [UInt16], in folder: String) -> String {
        let servers = zip(Kind.allCases, ports).map { kind, port in
            let certificate = kind == .expired || kind == .other ? kind.rawValue : "good"
            return """
                server {
                  listen 127.0.0.1:\(port) ssl http2;
                  ssl_certificate \(folder)/\(certificate).pem;
                  ssl_certificate_key \(folder)/\(certificate).key;
                  ssl_protocols \(kind == .old ? "TLSv1.1" : "TLSv1.2 TLSv1.3");
                  \(kind == .old ? "ssl_ciphers ALL:@SECLEVEL=0;" : "")
                  keepalive_requests \(kind == .goodbye ? 2 : 1_000);
                  access_log \(folder)/\(kind.rawValue).log short;
                }
                """
        }
        return """
            log_format short '$server_protocol $connection';
            root \(folder)/files;
            http2_max_concurrent_streams 128;
            \(servers.joined(separator: "\n"))
            """
    }

    /// An authority, and certificates by it: for localhost, for another host, and one that has expired.
    private static func makeCertificates(in folder: String) throws {
        func openssl(_ arguments: String...) throws {
            let result = try Command.run(["openssl"] + arguments)
            guard result.status == 0 else { throw Error(description: "openssl \(arguments): \(result.errors)") }
        }
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
            "-subj", "/CN=A test's authority", "-keyout", folder + "/ca.key", "-out", folder + "/ca.pem")
        for (name, host) in [("good", "localhost"), ("other", "elsewhere.example"), ("expired", "localhost")] {
            try openssl(
                "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(host)", "-addext",
                "subjectAltName=DNS:\(host)", "-keyout", "\(folder)/\(name).key", "-out", "\(folder)/\(name).csr")
            // -days -1: it ended yesterday.
            try openssl(
                "x509", "-req", "-in", "\(folder)/\(name).csr", "-CA", folder + "/ca.pem", "-CAkey", folder + "/ca.key",
                "-CAcreateserial", "-copy_extensions", "copy", "-days", name == "expired" ? "-1" : "30", "-out",
                "\(folder)/\(name).pem")
        }
        try FileManager.default.createDirectory(
            atPath: folder + "/authorities", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: folder + "/ca.pem", toPath: folder + "/authorities/ca.pem")
        try openssl("rehash", folder + "/authorities")
    }
}
