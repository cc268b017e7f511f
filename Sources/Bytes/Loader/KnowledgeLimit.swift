#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// For how many URLs the loader's knowledge stays in memory (C1).
enum KnowledgeLimit {
    /// By the bytes of physical memory.
    static func of(memory: UInt64) -> Int {
        switch memory >> 30 {
        case ..<4: 15
        case ..<6: 25
        case ..<8: 40
        default: 60
        }
    }

    /// Of this machine.
    static var here: Int {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        // -1 is "not known": then as on a small machine.
        return pages > 0 && size > 0 ? of(memory: UInt64(pages) * UInt64(size)) : of(memory: 0)
    }
}
