import Foundation
import Model
import TestSupport
import Testing

@testable import Bytes
@testable import HTTP

/// TLS and HTTP/2 against nginx, whose certificates come from a test authority.
@Suite struct TLSTests {
    private static let clip = PatternBytes.bytes(seed: 3, at: 0, count: 6_000_000)

    private let nginx: Nginx

    init() throws { nginx = try Nginx(files: ["clip.mp4": Self.clip]) }

    private func transport(_ environment: [String: String]) -> Transport {
        var options = NetworkOptions()
        options.proxy = ""
        options.environment = environment
        return Transport(options)
    }

    /// The clip's bytes. What prevents that is thrown.
    private func send(
        _ environment: [String: String], to kind: Nginx.Kind = .good, host: String = "localhost"
    ) async throws -> [UInt8] {
        let url = nginx.url("clip.mp4", of: kind).replacingOccurrences(of: "localhost", with: host)
        let transport = transport(environment)
        return try await transport.send(Transport.Request(url: url, asset: Asset(url: url))).body.all()
    }

    private func expectRefusal(
        _ reason: BytesError.Reason, _ environment: [String: String], to kind: Nginx.Kind = .good,
        host: String = "localhost", at location: SourceLocation = #_sourceLocation
    ) async {
        do {
            let count = try await send(environment, to: kind, host: host).count
            Issue.record("\(count) bytes of \(kind) with \(environment)", sourceLocation: location)
        } catch {
            let found = (error as? BytesError)?.reason
            #expect(found == reason, "\(environment): \(error)", sourceLocation: location)
        }
    }

    @Test func theEnvironmentNamesTheAuthorities() async throws {
        // Unreadable files are skipped, as by OpenSSL, and so is a missing folder of several.
        let folder = TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: nginx.authorityFolder) {
            try folder.write(name, try Data(contentsOf: URL(fileURLWithPath: nginx.authorityFolder + "/" + name)))
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/0a1b2c3d.0", withDestinationPath: "/no/such/certificate")
        for environment in [
            ["SSL_CERT_FILE": nginx.authority], ["SSL_CERT_DIR": nginx.authorityFolder],
            ["SSL_CERT_FILE": nginx.authority, "SSL_CERT_DIR": nginx.authorityFolder],
            ["SSL_CERT_DIR": "/no/such/folder:" + folder.path],
        ] {
            let isWhole = try await send(environment) == Self.clip
            #expect(isWhole, "\(environment)")
        }
        // A folder adds to the system's authorities, which do not know this one; a file is in their place.
        await expectRefusal(.untrusted(.certificate), ["SSL_CERT_DIR": "/usr"])
    }

    @Test func anUnknownAuthorityIsNotTrusted() async {
        for environment in [[:], ["SSL_CERT_FILE": "", "SSL_CERT_DIR": ""]] {
            await expectRefusal(.untrusted(.certificate), environment)
        }
    }

    @Test func missingAuthoritiesAreReported() async {
        for name in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
            await expectRefusal(.untrusted(.authorities), [name: "/no/such/place"])
        }
    }

    @Test func expiredCertificatesAndOthersAreNotTrusted() async {
        let environment = ["SSL_CERT_FILE": nginx.authority]
        await expectRefusal(.untrusted(.certificate), environment, to: .expired)
        await expectRefusal(.untrusted(.otherHost), environment, to: .other)
        // It is for the name, not for the address.
        await expectRefusal(.untrusted(.otherHost), environment, host: "127.0.0.1")
    }

    @Test func oldTLSIsRefused() async {
        await expectRefusal(.untrusted(.handshake), ["SSL_CERT_FILE": nginx.authority], to: .old)
    }

    @Test func aHundredRequestsShareOneConnection() async throws {
        let transport = transport(["SSL_CERT_FILE": nginx.authority])
        let url = nginx.url("clip.mp4")
        // The first makes the connection, on which the others meet.
        _ = try await transport.send(Transport.Request(url: url, asset: Asset(url: url))).body.all()
        let sums = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in Int64(0)..<100 {
                group.addTask {
                    let range = Transport.Request.Range(from: index * 2_000, to: index * 2_000 + 1_999)
                    let answer = try await transport.send(
                        Transport.Request(url: url, asset: Asset(url: url), range: range))
                    let part = Self.clip[Int(index) * 2_000..<Int(index) * 2_000 + 2_000]
                    return try await answer.body.all() == Array(part)
                }
            }
            return try await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(sums.count == 100 && !sums.contains(false))
        let log = nginx.log()
        #expect(log.count == 101 && log.allSatisfy { $0.version == "HTTP/2.0" })
        #expect(Set(log.map(\.connection)).count == 1)
    }

    @Test func unreadStreamsDoNotHoldUpOthers() async throws {
        let transport = transport(["SSL_CERT_FILE": nginx.authority])
        let request = Transport.Request(url: nginx.url("clip.mp4"), asset: Asset(url: nginx.url("clip.mp4")))
        let unread = try await transport.send(request)
        for _ in 0..<3 {
            let isWhole = try await transport.send(request).body.all() == Self.clip
            #expect(isWhole)
        }
        let isWhole = try await unread.body.all() == Self.clip
        #expect(isWhole)
        let log = nginx.log()
        #expect(log.count == 4 && Set(log.map(\.connection)).count == 1)
    }

    @Test func goAwayInMidClipLosesNoBytes() async throws {
        var options = NetworkOptions()
        options.environment = ["SSL_CERT_FILE": nginx.authority]
        let provider = CachedProvider(cache: nil, network: options)
        let url = nginx.url("clip.mp4", of: .goodbye)
        // Each reads far from the others, with a separate request.
        for offset in stride(from: Int64(5_900_000), to: 0, by: -1_300_000) {
            let source = try await provider.source(url)
            #expect(
                try await source.bytes(at: offset, count: 5_000)
                    == Array(Self.clip[Int(offset)..<min(Int(offset) + 5_000, Self.clip.count)]))
        }
        let log = nginx.log(of: .goodbye)
        #expect(log.allSatisfy { $0.version == "HTTP/2.0" })
        // More requests than a connection has: it has said goodbye in between.
        #expect(log.count > 2 && Set(log.map(\.connection)).count > 1)
        await provider.closed()
    }
}
