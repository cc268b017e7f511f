import Platform

/// Which file a name leads to. A value.
package struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let node: UInt64
    package let isEmpty: Bool

    /// nil if there is no file.
    package init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        (device, node, isEmpty) = (UInt64(facts.st_dev), UInt64(facts.st_ino), facts.st_size == 0)
    }

    /// A file that has grown is still the same.
    package static func == (one: FileIdentity, other: FileIdentity) -> Bool {
        one.device == other.device && one.node == other.node
    }
}
