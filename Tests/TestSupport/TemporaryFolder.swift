import Foundation

/// A folder for one test, removed with this object.
public final class TemporaryFolder: Sendable {
    /// Absolute, without a slash at its end.
    public let path: String

    public init() {
        path = FileManager.default.temporaryDirectory.path + "/flick-test-" + UUID().uuidString
        // If this fails, writing into it fails too and reports that.
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // A folder that remains in the temporary folder is harmless.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and creates the folders above it. Returns its absolute path.
    @discardableResult
    public func write(_ name: String, _ bytes: some Sequence<UInt8> = []) throws -> String {
        let file = path + "/" + name
        if let slash = name.lastIndex(of: "/") { try folder(String(name[..<slash])) }
        guard FileManager.default.createFile(atPath: file, contents: Data(bytes)) else {
            throw CocoaError(.fileWriteUnknown)
        }
        return file
    }

    /// Writes a shell script that can be run. Another program writes it: what this process starts meanwhile could have
    /// the file open, and it would be busy.
    public func script(_ name: String, _ text: String) throws -> String {
        let file = path + "/" + name
        let made = try Command.run(
            ["sh", "-c", #"printf '%s\n' "$1" > "$2" && chmod 755 "$2""#, "sh", "#!/bin/sh\n" + text, file])
        guard made.status == 0 else { throw CocoaError(.fileWriteUnknown) }
        return file
    }

    @discardableResult
    public func folder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
        return path + "/" + name
    }

    public func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path + "/" + name, withDestinationPath: target)
    }
}
