import Platform

/// An address of this machine at which others reach a server that listens at all.
enum ReachableAddress {
    /// The address of the first interface that is up and leads to other machines: IPv4 if `host` is 0.0.0.0,
    /// otherwise also IPv6 without a scope. `host` itself if it is no wildcard, or if there is no such
    /// interface. Queries the system (getifaddrs), and does not block.
    static func of(host: String) -> String {
        guard host == "0.0.0.0" || host == "::" else { return host }
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return host }
        defer { freeifaddrs(list) }
        let families = host == "::" ? [AF_INET, AF_INET6] : [AF_INET]
        for family in families {
            var entry = list
            // The system's list: each entry holds until `freeifaddrs`, and the last one has no next.
            while let interface = entry?.pointee {
                defer { entry = interface.ifa_next }
                guard interface.ifa_flags & UInt32(IFF_UP) != 0, interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
                    let address = interface.ifa_addr, Int32(address.pointee.sa_family) == family
                else { continue }
                let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                guard getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
                else { continue }
                let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                // One of a link only needs the interface's name as well.
                guard !name.contains("%") else { continue }
                return name
            }
        }
        return host
    }
}
