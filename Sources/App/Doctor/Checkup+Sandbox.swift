import Wire

extension Checkup {
    /// What holds a decoder that a clip has taken over, as the decoder itself found when it gave everything up.
    static func sandbox(_ confinement: Confinement) -> Checkup {
        func name(_ part: Confinement) -> String {
            switch part {
            case .calls: "system calls (seccomp)"
            case .paths: "files and network (Landlock)"
            default: "memory and open files"
            }
        }
        let parts: [Confinement] = [.calls, .paths, .limits]
        let held = parts.filter(confinement.contains).map(name).joined(separator: ", ")
        let missing = parts.filter { !confinement.contains($0) }.map(name).joined(separator: ", ")
        guard !missing.isEmpty else {
            return Checkup(subject: "sandbox", verdict: .good, found: "decoders are sandboxed: \(held)", advice: nil)
        }
        return Checkup(
            subject: "sandbox", verdict: .limited,
            found: held.isEmpty
                ? "decoders are not sandboxed: no limits on \(missing)"
                : "decoders are sandboxed: \(held), but not \(missing)",
            advice: "use Linux 5.13 or newer with seccomp and Landlock; in a container, allow both")
    }
}
