import Platform

/// This machine's names and addresses. Queries the system each time, as both change, and does not block.
enum ThisMachine {
    /// Whether it is one of this machine's addresses, or its name, in full, as its first label, or as mDNS has it:
    /// "box.example.org", "box", "box.local".
    static func has(_ host: ServedHost) -> Bool {
        switch host {
        case .address(let bytes): addresses { $0 == bytes }
        case .name(let name): names.contains(name)
        }
    }

    private static var names: [String] {
        // HOST_NAME_MAX is 64 on Linux, 255 elsewhere.
        var text = [CChar](repeating: 0, count: 256)
        guard gethostname(&text, text.count - 1) == 0 else { return [] }
        let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).lowercased()
        guard let first = name.split(separator: ".").first.map(String.init) else { return [] }
        return [name, first, first + ".local"]
    }

    /// Whether one of the addresses is wanted.
    private static func addresses(_ isWanted: ([UInt8]) -> Bool) -> Bool {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return false }
        defer { freeifaddrs(list) }
        var entry = list
        // The system's list: each entry holds until `freeifaddrs`, and the last one has no next.
        while let interface = entry?.pointee {
            defer { entry = interface.ifa_next }
            guard let address = interface.ifa_addr else { continue }
            let raw = UnsafeRawPointer(address)
            let bytes: [UInt8]
            switch Int32(address.pointee.sa_family) {
            case AF_INET: bytes = withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) }
            case AF_INET6: bytes = withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
            default: continue
            }
            if isWanted(bytes) { return true }
        }
        return false
    }
}

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
