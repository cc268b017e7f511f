import Foundation
import TestSupport
import Testing

@testable import FeedServer

/// Which host names the server answers for: web pages whose names resolve to it get nothing (DNS rebinding).
@Suite struct HostTests {
    /// `Host`, `Origin` (PORT stands for the server's), and the status of the answer.
    static let spellings: [(host: String, origin: String?, status: Int)] = [
        // Names of this machine and given ones, however they are written.
        ("localhost", nil, 200), ("LocalHost", nil, 200), ("localhost:PORT", nil, 200), ("localhost:", nil, 200),
        ("localhost.", nil, 200), ("LOCALHOST.:PORT", nil, 200), ("localhost:80", nil, 200), ("127.0.0.1", nil, 200),
        ("127.0.0.1:PORT", nil, 200), ("127.0.0.1:65535", nil, 200), ("127.8.9.1", nil, 200), ("[::1]", nil, 200),
        ("[::1]:PORT", nil, 200), ("[0:0:0:0:0:0:0:1]", nil, 200), ("[::ffff:127.0.0.1]:PORT", nil, 200),
        ("feed.example", nil, 200), ("FEED.Example:443", nil, 200), ("feed.example.", nil, 200),
        ("192.0.2.7:PORT", nil, 200), ("[2001:DB8::7]", nil, 200), ("[2001:db8:0:0::0:7]:PORT", nil, 200),
        // Others, and those that begin or end like them.
        ("evil.example", nil, 421), ("evil.example:PORT", nil, 421), ("localhost.evil.example", nil, 421),
        ("evil.localhost", nil, 421), ("xlocalhost", nil, 421), ("127.0.0.1.evil.example", nil, 421),
        ("127.0.0.1.nip.io", nil, 421), ("x.feed.example", nil, 421), ("feed.example.evil.example", nil, 421),
        ("128.0.0.1", nil, 421), ("192.0.2.8", nil, 421), ("0.0.0.0", nil, 421), ("[::]", nil, 421),
        ("[::2]", nil, 421), ("[2001:db8::8]", nil, 421), ("127.1", nil, 421), ("2130706433", nil, 421),
        ("0x7f.0.0.1", nil, 421), ("127.0.0.01", nil, 421), ("xn--lcalhost-54a", nil, 421),
        // Not a host.
        ("", nil, 400), ("localhost..", nil, 400), (".localhost", nil, 400), ("me@localhost", nil, 400),
        ("localhost@evil.example", nil, 400), ("evil.example#localhost", nil, 400), ("http://localhost", nil, 400),
        ("localhost evil.example", nil, 400), ("localhost, evil.example", nil, 400), ("localhost:65536", nil, 400),
        ("localhost:8o", nil, 400), ("[::1", nil, 400), ("::1", nil, 400), ("[127.0.0.1]", nil, 400),
        ("[::1%25lo]", nil, 400), ("localhost%2e", nil, 400), ("ｌocalhost", nil, 400),
        // Pages of this server, at any of its names, and of others.
        ("127.0.0.1:PORT", "http://127.0.0.1:PORT", 200), ("localhost:PORT", "HTTP://LOCALHOST:PORT", 200),
        ("127.0.0.1:PORT", "http://localhost:PORT", 200), ("[::1]:PORT", "http://[0::1]:PORT", 200),
        ("feed.example", "https://feed.example", 200), ("feed.example:443", "https://feed.example", 200),
        ("feed.example", "http://feed.example:80", 200), ("localhost.:PORT", "http://localhost:PORT", 200),
        ("127.0.0.1:PORT", "http://evil.example", 403), ("127.0.0.1:PORT", "http://evil.example:PORT", 403),
        ("127.0.0.1:PORT", "null", 403), ("127.0.0.1:PORT", "", 403), ("127.0.0.1:PORT", "http://127.0.0.1", 403),
        ("127.0.0.1:PORT", "http://127.0.0.1:1", 403), ("127.0.0.1:PORT", "127.0.0.1:PORT", 403),
        ("127.0.0.1:PORT", "http://127.0.0.1:PORT/", 403), ("127.0.0.1:PORT", "ftp://127.0.0.1:PORT", 403),
        ("127.0.0.1:PORT", "http://127.0.0.1:PORT@evil.example", 403),
        ("127.0.0.1:PORT", "http://me@127.0.0.1:PORT", 403),
        ("127.0.0.1:PORT", "http://127.0.0.1:PORT http://evil.example", 403),
        ("127.0.0.1:PORT", "http://localhost.evil.example:PORT", 403),
        ("evil.example:PORT", "http://evil.example:PORT", 421), ("feed.example:443", "http://feed.example", 403),
    ]

    @Test(arguments: spellings) func rejectsForeignHosts(host: String, origin: String?, status: Int) async throws {
        let served = try await ServedFolder {
            $0.allowedHosts = ["feed.example", "192.0.2.7", "2001:db8::7"].compactMap { ServedHost(option: $0) }
        }
        func fill(_ text: String) -> String { text.replacing("PORT", with: "\(served.port)") }
        let headers = ["Host: " + fill(host)] + (origin.map { ["Origin: " + fill($0)] } ?? [])
        #expect(try await served.get("/feed.json", headers).status == status)
        #expect(try await served.ask("PUT", "/videos/\(ServedFolder.a)/like", headers).status == status)
        await served.stop()
    }

    /// An attacker on the network can change a page that came without TLS.
    @Test func pageWithoutTLSIsNotOneOfAServerWithIt() throws {
        let hosts = ServedHosts(listeningAt: "127.0.0.1", others: [.name("feed.example")])
        let host = try #require(RequestHost("feed.example"))
        func isOwn(_ origin: String, isSecure: Bool) -> Bool {
            hosts.isOwn(origin: origin, of: host, local: nil, isSecure: isSecure)
        }
        #expect(isOwn("https://feed.example", isSecure: true) && !isOwn("http://feed.example", isSecure: true))
        #expect(isOwn("https://feed.example", isSecure: false) && isOwn("http://feed.example", isSecure: false))
    }

    @Test func everyRouteRejectsForeignHosts() async throws {
        let served = try await ServedFolder {
            $0.token = "let-me-in-please"
            $0.adminToken = "an-admin-token"
        }
        for row in Route.table {
            for method in row.methods {
                let path = row.path.replacing("ID", with: ServedFolder.a)
                let named = try await served.ask(method, path, ["Host: evil.example:\(served.port)"])
                #expect(named.status == 421 && named.headers["etag"] == nil, "\(method) \(path)")
                #expect(try await served.ask(method, path, ["Origin: http://evil.example"]).status == 403, "\(path)")
            }
        }
        let token = ["Host: evil.example", "Authorization: Bearer let-me-in-please"]
        #expect(try await served.get("/feed.json", token).status == 421)
        await served.stop()
    }

    /// Another machine opens this one's address, or its name.
    @Test(arguments: ["0.0.0.0", "::"]) func wildcardAddressAcceptsThisMachinesNames(host: String) async throws {
        let served: ServedFolder
        do {
            served = try await ServedFolder { $0.host = host }
        } catch let error as ServerError where host == "::" {
            // A machine without IPv6.
            return #expect(error.description.contains("cannot listen"))
        }
        let address = ReachableAddress.of(host: host)
        let name = try Command.run(["hostname"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
        let first = name.prefix { $0 != "." }
        let shown = address.contains(":") ? "[\(address)]" : address
        for known in [shown, "\(shown):\(served.port)", name, name.uppercased(), "\(first)", "\(first).local:80"] {
            #expect(try await served.get("/feed.json", ["Host: " + known]).status == 200, "\(known)")
        }
        for other in ["evil.example", "\(first).evil.example", "x\(first)", "192.0.2.99", "[2001:db8::99]"] {
            #expect(try await served.get("/feed.json", ["Host: " + other]).status == 421, "\(other)")
        }
        await served.stop()
    }

    @Test func hostOptionRejectsSchemesPortsAndWildcards() {
        for text in ["feed.example", "FEED.example.", "192.0.2.7", "::1", "[::1]", "::", "box"] {
            #expect(ServedHost(option: text) != nil, "\(text)")
        }
        for text in ["", "*", "*.example", "a:80", "a:", "[::1]:80", "http://a", "a/b", "a b", "bücher.example"] {
            #expect(ServedHost(option: text) == nil, "\(text)")
        }
        #expect(ServedHost(option: "FEED.example.") == .name("feed.example"))
        #expect(ServedHost(option: "::ffff:192.0.2.7") == ServedHost(option: "192.0.2.7"))
    }
}
