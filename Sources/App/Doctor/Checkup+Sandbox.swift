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
            return Checkup(subject: "sandbox", verdict: .good, found: "decoders are held by \(held)", advice: nil)
        }
        return Checkup(
            subject: "sandbox", verdict: .limited,
            found: held.isEmpty
                ? "decoders are not held: there is no limit to \(missing)"
                : "decoders are held by \(held), but not by \(missing)",
            advice: "Linux 5.13 or newer with seccomp and Landlock has all of it; in a container, allow both")
    }
}
