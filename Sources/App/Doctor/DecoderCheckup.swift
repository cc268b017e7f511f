import Feeds
import Model
import Platform
import Threads
import Wire

/// A decoder that does not start: mostly as FFmpeg is missing, or another version of it is installed.
extension Checkup {
    /// - Parameter missing: the libraries that the loader does not find: "libavformat.so.59".
    static func decoder(at path: String, error: WireError, missing: [String]) -> Checkup {
        guard !missing.isEmpty else {
            return Checkup(
                subject: "decoder", verdict: .missing, found: "\(path) does not start: \(error)",
                advice: "reinstall flick")
        }
        let packages = missing.compactMap(package).joined(separator: " ")
        return Checkup(
            subject: "decoder", verdict: .missing,
            found: "\(path) does not start: \(missing.joined(separator: ", ")) not found",
            advice: "install the FFmpeg that flick was built with; Debian's packages are \(packages)")
    }

    /// Debian's name for the package of a library: "libavformat59" of "libavformat.so.59".
    private static func package(of library: String) -> String? {
        let parts = library.split(separator: ".so.")
        return parts.count == 2 ? parts.joined() : nil
    }

    /// The libraries that the system's loader does not find for a program. Blocks for some milliseconds, and for two
    /// seconds at most; empty where the loader does not list them (macOS).
    static func missingLibraries(of path: String) -> [String] {
        // With this variable, ld.so(8) lists the libraries and does not run the program. An error leaves the list
        // empty: the caller reports anyway that the decoder does not start.
        let printed = try? Program.run(
            path, [], environment: ["LD_TRACE_LOADED_OBJECTS": "1"],
            limits: Program.Limits(silence: .seconds(2), time: .seconds(2), output: 1 << 20),
            cancellation: Cancellation())
        return String(decoding: printed?.output ?? [], as: UTF8.self).split(separator: "\n").compactMap { line in
            // "\tlibavformat.so.59 => not found"
            guard line.hasSuffix("=> not found") else { return nil }
            return line.split { $0 == " " || $0 == "\t" }.first.map { CleanText.line(String($0)) }
        }
    }
}

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
