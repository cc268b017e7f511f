import Platform

/// How many URLs' loaders stay in memory while unused.
enum KnowledgeLimit {
    /// The limit for a machine with `memory` bytes.
    static func of(memory: UInt64) -> Int {
        switch memory >> 30 {
        case ..<4: 15
        case ..<6: 25
        case ..<8: 40
        default: 60
        }
    }

    /// The limit for this machine.
    static var here: Int {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        // sysconf returns -1 if it does not know; treat that as a small machine.
        return pages > 0 && size > 0 ? of(memory: UInt64(pages) * UInt64(size)) : of(memory: 0)
    }
}
