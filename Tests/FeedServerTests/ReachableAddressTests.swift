import Testing

@testable import FeedServer

@Suite struct ReachableAddressTests {
    @Test(arguments: ["127.0.0.1", "::1", "localhost"]) func namedAddressIsReturned(host: String) {
        #expect(ReachableAddress.of(host: host) == host)
    }

    /// A machine without a network has none.
    @Test(arguments: ["0.0.0.0", "::"]) func aWildcardIsAnAddressThatIsNoLoopback(host: String) {
        let address = ReachableAddress.of(host: host)
        #expect(!address.hasPrefix("127.") && address != "::1" && !address.contains("%") && !address.isEmpty)
        if host == "0.0.0.0" { #expect(!address.contains(":")) }
    }
}
