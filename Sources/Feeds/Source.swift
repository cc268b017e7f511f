import Bytes
import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What an argument of the command line, or a line of a list, refers to. A value.
public enum Source: Equatable, Sendable {
    /// A folder, by its absolute path.
    case folder([UInt8])
    /// One clip, by its URL. An HLS playlist is one clip.
    case clip(String)
    /// A JSON manifest, by its URL.
    case manifest(String)
    /// A list of sources on standard input.
    case standardInput

    /// Finds out what `argument` refers to. Reads at most the first 512 bytes. Blocks.
    ///
    /// What is called `.json` is a manifest, and a file that begins like JSON and is not called like a clip; anything else is left to the decoder. A server is
    /// only asked if the name does not tell.
    public static func parse(_ argument: String, provider: any ByteProvider) throws(BytesError) -> Source {
        if argument == "-" { return .standardInput }
        let url: String
        if let scheme = URLParts(argument)?.scheme, scheme == "file" || URLParts(argument)?.authority != nil {
            url = argument
        } else {
            url = FileURL.url(path: FileURL.absolute(Array(argument.utf8)))
        }
        if let path = FileURL.path(of: url) {
            var facts = stat()
            if path.withCString({ stat($0, &facts) }) == 0, facts.st_mode & S_IFMT == S_IFDIR {
                return .folder(FileURL.absolute(path))
            }
        }
        return try isManifest(url, provider: provider) ? .manifest(url) : .clip(url)
    }

    private static func isManifest(_ url: String, provider: any ByteProvider) throws(BytesError) -> Bool {
        let isFile = FileURL.path(of: url) != nil
        let ending = ClipName.ending(of: Array((isFile ? url : URLParts(url)?.path ?? url).utf8))
        if !isFile, let ending {
            if ending == "json" { return true }
            if ClipName.isClip(ending: ending) { return false }
        }
        let source = try provider.open(url, for: url)
        if ending == "json" { return true }
        // Media may begin with any bytes.
        if let ending, ClipName.isClip(ending: ending) { return false }
        var head = [UInt8](repeating: 0, count: 512)
        let result: Result<Int, BytesError> = head.withUnsafeMutableBytes { buffer in
            do throws(BytesError) { return .success(try source.read(at: 0, into: buffer)) } catch {
                return .failure(error)
            }
        }
        return Manifest.isLikely(head.prefix(try result.get()))
    }
}
