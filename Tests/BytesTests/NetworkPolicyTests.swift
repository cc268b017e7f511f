import Model
import Testing

@testable import Bytes
@testable import HTTP

@Suite struct HostKindTests {
    @Test(arguments: [
        "127.0.0.1", "127.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1", "0.0.0.0", "0", "localhost",
        "localhost.",
        "a.localhost", "::1", "::", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "127.0.0.1.",
    ])
    func allNotationsOfLoopbackAreRecognised(host: String) { #expect(HostKind(host) == .loopback) }

    @Test(arguments: [
        "10.0.0.1", "10.1", "167772161", "172.16.0.1", "172.31.255.255", "192.168.1.1", "0xc0.0xa8.0x1.0x1",
        "169.254.169.254",
        "100.64.0.1", "224.0.0.1", "255.255.255.255", "fe80::1", "fec0::1", "fc00::1", "fd12::1", "ff02::1",
        "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:a00:1::", "printer.local",
        "metadata.google.internal",
        // Neither addresses nor names.
        "256.1.1.1", "1.2.3.4.5", "0x1ffffffff", "08.1", "1:2",
    ])
    func privateAddressesAreRecognised(host: String) { #expect(HostKind(host) == .privateNetwork) }

    @Test(arguments: [
        "8.8.8.8", "172.32.0.1", "100.128.0.1", "134744072", "192.167.1.1", "2606:4700::1111", "::ffff:8.8.8.8",
        "64:ff9b::808:808",
    ])
    func publicAddressesAreRecognised(host: String) { #expect(HostKind(host) == .publicAddress) }

    @Test(arguments: ["example.com", "nas", "localhost.example.com", "10.example", "1.2.3.com", "local", "deadbeef"])
    func hostNamesAreRecognised(host: String) { #expect(HostKind(host) == .name) }
}

@Suite struct ReachTests {
    private func reach(_ target: String, for asset: String, _ rule: URLAccessPolicy.PrivateHosts) throws
        -> URLAccessPolicy
        .Reach?
    {
        URLAccessPolicy.reach(of: try #require(RemoteURL(target)), for: Asset(url: asset), rule: rule)
    }

    @Test(
        arguments: [
            ("https://cdn.example/a", "https://example.com/feed", .onlyPublic),
            ("https://8.8.8.8/a", "https://example.com/feed", .anywhere),
            ("http://192.168.1.1/a", "https://example.com/feed", nil),
            ("http://2130706433/a", "https://example.com/feed", nil),
            ("http://localhost:8080/a", "https://example.com/feed", nil),
            // An asset may read from its own host, whatever that is, at any port.
            ("https://example.com:81/a", "https://example.com/feed", .anywhere),
            ("http://192.168.1.1:81/a", "http://192.168.1.1/feed", .anywhere),
            ("http://nas/a", "http://nas/feed", .anywhere),
            // A private host must not lead to another one.
            ("http://192.168.1.2/a", "http://192.168.1.1/feed", nil),
            ("http://nas/a", "http://192.168.1.1/feed", .onlyPublic),
            ("http://192.168.1.1/a", "file:///feed.json", .anywhere),
            ("http://192.168.1.1/a", "nonsense", nil),
        ] as [(String, String, URLAccessPolicy.Reach?)])
    func theReachDependsOnOriginAndRule(target: String, asset: String, expected: URLAccessPolicy.Reach?) throws {
        #expect(try reach(target, for: asset, .sameOrigin) == expected)
    }

    @Test func neverRuleCoversLocalFiles() throws {
        #expect(try reach("http://192.168.1.1/a", for: "file:///feed.json", .never) == nil)
        #expect(try reach("http://nas/a", for: "file:///feed.json", .never) == .onlyPublic)
        #expect(try reach("http://192.168.1.1/a", for: "http://192.168.1.1/a", .never) == .anywhere)
    }

    @Test func aRefusalNamesTheHost() {
        func refusal(_ target: String, _ source: String) -> BytesError.Reason? {
            URLAccessPolicy.refusal(of: target, from: source)
        }
        #expect(refusal("http://10.0.0.1/a", "https://example.com/feed") == .privateHost("10.0.0.1"))
        #expect(refusal("http://10.0.0.1/a", "http://10.0.0.1/feed") == nil)
        #expect(refusal("file:///etc/passwd", "https://example.com/feed") == .forbidden)
        #expect(refusal("ftp://example.com/a", "https://example.com/feed") == .forbidden)
        #expect(refusal("http:///a", "https://example.com/feed") == .malformed)
    }

    @Test func alwaysRuleAllowsEveryPrivateHost() throws {
        #expect(try reach("http://127.0.0.1/a", for: "https://example.com/feed", .always) == .anywhere)
    }

    @Test(
        arguments: [
            // The item comes from its own host, but that name can resolve to any address.
            ("http://evil.example/a", "https://example.com/feed", .onlyPublic),
            ("http://example.com/a", "https://example.com/feed", .anywhere),
            ("http://127.0.0.1/a", "https://example.com/feed", nil),
            ("http://192.168.1.1/a", "http://192.168.1.1:81/feed", .anywhere),
            ("http://nas/a", "http://nas/feed", .anywhere),
            ("http://nas/a", "file:///feed.json", .anywhere),
        ] as [(String, String, URLAccessPolicy.Reach?)])
    func anItemReachesNoFurtherThanItsFeed(item: String, feed: String, expected: URLAccessPolicy.Reach?) throws {
        let asset = Asset(url: item, feed: feed)
        let target = try #require(RemoteURL(item))
        #expect(URLAccessPolicy.reach(of: target, for: asset, rule: .sameOrigin) == expected)
        #expect(URLAccessPolicy.allows(item, for: asset) == (expected != nil))
    }

    @Test func neverRuleCoversItemsOfLocalFeeds() throws {
        let asset = Asset(url: "http://nas/a", feed: "file:///feed.json")
        #expect(
            URLAccessPolicy.reach(of: try #require(RemoteURL("http://nas/a")), for: asset, rule: .never) == .onlyPublic)
        #expect(!URLAccessPolicy.allows("http://10.0.0.1/a", from: "file:///feed.json", privateHosts: .never))
    }

    @Test func linksToPrivateAddressesAreRefusedByTheirText() {
        #expect(!URLAccessPolicy.allows("http://127.0.0.1/a", from: "https://example.com/feed"))
        #expect(URLAccessPolicy.allows("http://127.0.0.1/a", from: "https://example.com/feed", privateHosts: .always))
        #expect(URLAccessPolicy.allows("http://127.0.0.1:8/a", from: "http://127.0.0.1:9/feed"))
        #expect(URLAccessPolicy.allows("http://127.0.0.1/a", from: "file:///feed.json"))
        #expect(!URLAccessPolicy.allows("http://h\\@evil/a", from: "https://example.com/feed"))
    }
}

@Suite struct ProxyChoiceTests {
    private func route(_ url: String, configured: String? = nil, _ environment: [String: String] = [:]) throws -> String
    {
        let choice = ProxyChoice(configured: configured) { environment[$0] }
        switch choice.route(to: try #require(RemoteURL(url)).origin) {
        case .direct: return "direct"
        case .malformed: return "malformed"
        case .through(let proxy): return "\(proxy.kind) \(proxy.user ?? "-") \(proxy.host):\(proxy.port)"
        }
    }

    @Test func theEnvironmentIsReadAsCurlDoes() throws {
        let both = ["http_proxy": "http://p:1", "HTTPS_PROXY": "p:2"]
        #expect(try route("http://h/", both) == "http - p:1")
        #expect(try route("https://h/", both) == "http - p:2")
        #expect(try route("http://h/", ["HTTP_PROXY": "http://p:1"]) == "direct")
        #expect(try route("http://h/", ["ALL_PROXY": "socks5://p"]) == "socks - p:1080")
        #expect(try route("https://h/", ["ALL_PROXY": "socks5://p"]) == "socks - p:1080")
        #expect(try route("https://h/", ["all_proxy": "p:3", "https_proxy": ""]) == "direct")
        #expect(try route("http://h/") == "direct")
    }

    @Test func credentialsAreSentToTheSameServerAndFromHTTPToHTTPS() throws {
        func isSent(_ url: String, to other: String) throws -> Bool {
            let (first, target) = (try #require(RemoteURL(url)), try #require(RemoteURL(other)))
            let fields = RequestFields(
                Transport.Request(url: url, asset: Asset(url: url)), to: first, userAgent: "flick")
            return fields.fields(to: target.origin).contains { $0.name == "Authorization" }
        }
        #expect(try isSent("https://me:word@h/a", to: "https://h/b"))
        #expect(try isSent("http://me:word@h/a", to: "https://h/b"))
        #expect(try !isSent("https://me:word@h/a", to: "http://h/b"))
        #expect(try !isSent("https://me:word@h/a", to: "https://x.h/b"))
    }

    /// RFC 7617, 2 has the example.
    @Test(arguments: [
        ("Aladdin:open%20sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("a", "Basic YTo="), ("me:", "Basic bWU6"),
        ("me:p%40ss", "Basic bWU6cEBzcw=="),
    ])
    func userOfAnAddressIsSentAsBasicCredentials(user: String, credentials: String) throws {
        let url = "https://\(user)@h/a"
        let first = try #require(RemoteURL(url))
        let fields = RequestFields(Transport.Request(url: url, asset: Asset(url: url)), to: first, userAgent: "flick")
        let sent = fields.fields(to: first.origin).filter { $0.name == "Authorization" }
        #expect(sent.map(\.value) == [credentials])
    }

    @Test func theConfiguredProxyWins() throws {
        let environment = ["http_proxy": "http://p:1"]
        #expect(try route("http://h/", configured: "http://me:p%40ss@q:2", environment) == "http me:p@ss q:2")
        #expect(try route("http://h/", configured: "", environment) == "direct")
        #expect(try route("http://h/", configured: "https://q:2", environment) == "malformed")
        #expect(try route("http://h/", configured: "socks5://me@q:2", environment) == "malformed")
        #expect(try route("http://h/", configured: "http://q:port", environment) == "malformed")
    }

    @Test func loopbackIsNeverProxied() throws {
        for url in ["http://127.0.0.1/", "http://localhost:8080/", "http://[::1]/"] {
            #expect(try route(url, configured: "p:1") == "direct")
        }
    }

    @Test(arguments: [
        ("example.com", "http://example.com/", true), ("example.com", "http://a.example.com/", true),
        (".example.com", "http://a.example.com/", true), ("example.com", "http://badexample.com/", false),
        ("EXAMPLE.com:81", "http://example.com:81/", true), ("example.com:81", "http://example.com/", false),
        ("*", "http://anything/", true), ("x, 10.0.0.0/8", "http://10.1.2.3/", true),
        ("10.0.0.0/8", "http://11.0.0.1/", false),
        ("10.1.2.3", "http://10.1.2.3/", true), ("2.3", "http://10.1.2.3/", false),
        ("fd00::/8", "http://[fd12::1]/", true), ("bücher.example", "http://xn--bcher-kva.example/", true),
        ("fd12::1", "http://[fd12::1]/", true), ("10.0.0.0/99", "http://10.0.0.1/", false), ("", "http://h/", false),
    ])
    func exceptionsBypassTheProxy(exceptions: String, url: String, isDirect: Bool) throws {
        #expect(try (route(url, configured: "p:1", ["no_proxy": exceptions]) == "direct") == isDirect)
    }
}

@Suite struct SafeURLTests {
    @Test(arguments: [
        ("https://me:secret@h/a", "https://h/a"), ("https://h/a?token=x&v=1", "https://h/a?token=…&v=1"),
        ("https://h/a?X-Amz-Signature=x&X-Amz-Date=y", "https://h/a?X-Amz-Signature=…&X-Amz-Date=…"),
        ("https://h/a?access%5Ftoken=x&api_key=y&sig=z", "https://h/a?access%5Ftoken=…&api_key=…&sig=…"),
        ("https://h/a?hdnts=exp=1~hmac=2", "https://h/a?hdnts=…"),
        ("https://h/a#access_token=x", "https://h/a#…"), ("https://h/a#tok=x", "https://h/a#…"),
        ("https://h/a?page=2&sort=new", "https://h/a?page=2&sort=new"), ("file:///a?token=x", "/a?token=x"),
        ("https://h/a?%74oken=x&t%256Fken=y", "https://h/a?%74oken=…&t%256Fken=…"),
        ("https://h/a?v=1;token=x&token%3Dy", "https://h/a?v=…&…"), ("https://h/a&token=x/b", "https://h/a…/b"),
        ("https://h/a;token=x?v=1", "https://h/a…?v=1"), ("https://h/a%3Ftoken%3Dx", "https://h/a…"),
        ("https://h/?url=https%3A%2F%2Fi%2F%3Ftoken%3Dx", "https://h/?url=…"),
        ("https://h/a=b/c;d=e?url=https%3A%2F%2Fi%2F%3Fv%3D1", "https://h/a=b/c;d=e?url=https%3A%2F%2Fi%2F%3Fv%3D1"),
        ("https://h/a\u{1B}[31m", "https://h/a\u{FFFD}[31m"), ("//me:secret@h/a", "//h/a"),
    ])
    func secretsAreNotShown(url: String, shown: String) { #expect(SafeURL.text(url) == shown) }

    @Test(arguments: [
        ("https://me:secret@h/a", "https://h/a"), ("https://h/a?token=x&v=1", "https://h/a?v=1"),
        ("https://h/a?X-Amz-Signature=x&X-Amz-Date=y", "https://h/a"),
        ("https://h/a?access%5Ftoken=x&b&sig=z", "https://h/a?b"), ("https://h/a?%2574oken=x&b", "https://h/a?b"),
        ("https://h/a#access_token=x", "https://h/a"),
        ("https://h/a?page=2#part-3", "https://h/a?page=2#part-3"), ("https://h/a?", "https://h/a?"),
        ("/films/a?token=x", "/films/a?token=x"), ("file:///a?token=x", "file:///a?token=x"),
    ])
    func secretsAreNotHandedOn(url: String, shared: String) { #expect(SafeURL.shareable(url) == shared) }

    @Test func a401AfterAPasswordSaysThatItWasRefused() {
        let words = ["http://h/a", "http://u:p@h/a"].map { BytesError(verb: .open, url: $0, reason: .status(401)).why }
        #expect(words[0].contains("login required") && words[1].contains("wrong user or password"))
        #expect(!words[1].contains("u:p"))
    }

    @Test func errorsShowNoSecrets() {
        let error = BytesError(verb: .open, url: "https://me:secret@h/a?token=x", reason: .status(404))
        #expect("\(error)" == "cannot open 'https://h/a?token=…': the server says 404: not found")
        let refusal = BytesError(verb: .open, url: "https://h/a", reason: .privateHost("10.0.0.1"))
        #expect(
            "\(refusal)"
                == "cannot open 'https://h/a': feeds may not link to the private host '10.0.0.1'; if you trust it, set network.private_hosts = \"always\""
        )
        let slow = BytesError(verb: .read, url: "https://h/a", reason: .timedOut(.nextByte, .seconds(10)))
        #expect("\(slow)" == "cannot read 'https://h/a': no data received for 10 s; check your network")
    }
}
