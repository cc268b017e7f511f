/// The kind of a host, judged by its name or address alone. Pure.
package enum HostKind: Equatable, Sendable {
    /// A name that needs a name server.
    case name
    /// This machine.
    case loopback
    /// Not reachable from everywhere: a home or office network, a name for one, or a multicast or reserved address.
    case privateNetwork
    /// An address of the internet.
    case publicAddress

    package var isPrivate: Bool { self == .loopback || self == .privateNetwork }

    /// - Parameter host: in lower case, an IPv6 address without brackets.
    package init(_ host: String) {
        // "localhost." is localhost.
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        if host.utf8.contains(UInt8(ascii: ":")) {
            self = IPAddress.v6(host).map(HostKind.init(v6:)) ?? .privateNetwork
        } else if IPAddress.endsInNumber(host) {
            // Host names never end in a number. An invalid address counts as
            // private, because another parser might accept it.
            self = IPAddress.v4(host).map(HostKind.init(v4:)) ?? .privateNetwork
        } else if host == "localhost" || host.hasSuffix(".localhost") {
            self = .loopback
        } else if host.hasSuffix(".local") || host.hasSuffix(".internal") {
            self = .privateNetwork
        } else {
            self = .name
        }
    }

    /// The parts of the IANA IPv4 Special-Purpose Address Registry that an attacker could use.
    private init(v4 address: [UInt8]) {
        switch (address[0], address[1]) {
        case (127, _): self = .loopback
        // 0.0.0.0 reaches this machine.
        case (0, _): self = .loopback
        case (10, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): self = .privateNetwork
        // Multicast, reserved, broadcast.
        case (224...255, _): self = .privateNetwork
        default: self = .publicAddress
        }
    }

    private init(v6 address: [UInt8]) {
        let beginsWithZeros = { (count: Int) in address.prefix(count).allSatisfy { $0 == 0 } }
        if beginsWithZeros(15), address[15] <= 1 {
            self = .loopback
        } else if beginsWithZeros(12) || beginsWithZeros(10) && address[10] == 0xFF && address[11] == 0xFF {
            // ::a.b.c.d and ::ffff:a.b.c.d are IPv4.
            self = HostKind(v4: Array(address[12...]))
        } else if address[0] == 0, address[1] == 0x64, address[2] == 0xFF, address[3] == 0x9B {
            // NAT64: 64:ff9b::a.b.c.d (RFC 6052); 64:ff9b:1::/48 is for local use.
            let isWellKnown = address[4..<12].allSatisfy { $0 == 0 }
            self = isWellKnown ? HostKind(v4: Array(address[12...])) : .privateNetwork
        } else if address[0] == 0x20, address[1] == 0x02 {
            // 6to4 (RFC 3056).
            self = HostKind(v4: Array(address[2..<6]))
        } else {
            switch (address[0], address[1]) {
            // Unique local fc00::/7; link-local fe80::/10 and site-local fec0::/10; multicast.
            case (0xFC...0xFD, _), (0xFE, 0x80...0xFF), (0xFF, _): self = .privateNetwork
            default: self = .publicAddress
            }
        }
    }
}
