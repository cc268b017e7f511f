import Bytes
import Model
import Platform
import Player
import TermGraphics
import Wire

/// A frame of a clip that is saved to a file, in the clip's full size. A value.
struct SavedFrame: Sendable {
    let item: Item
    /// In the clip.
    let time: Duration
    /// The clip's, in square pixels.
    let size: PixelSize

    /// Decodes the frame once more, and writes it as PNG. Returns the file's path. Blocks.
    ///
    /// - Parameter decoderPath: the decoder's executable.
    func write(
        to folder: String, decoderPath: String, provider: any ByteProvider, retention: Asset.Retention
    ) throws(AppError) -> String {
        let file = try png(decoderPath: decoderPath, provider: provider, retention: retention)
        let (path, descriptor) = try Self.create(in: folder, named: name)
        defer { descriptor.close() }
        do throws(SystemError) { try descriptor.write(file) } catch {
            unlink(path)
            throw .file("write", path, error.code)
        }
        return path
    }

    private func png(
        decoderPath: String, provider: any ByteProvider, retention: Asset.Retention
    ) throws(AppError) -> [UInt8] {
        let surface = SurfaceRequest(
            generation: 1, width: UInt32(clamping: size.width), height: UInt32(clamping: size.height), fit: .fit)
        do {
            let run = try LinearDecode(
                url: item.url, asset: Asset(item, retention: retention), pictures: surface, start: time,
                decoderPath: decoderPath, bytes: MediaBytes(local: provider))
            while true {
                switch try run.next() {
                case .opened: break
                case .picture(let header):
                    var png = PNG()
                    return try run.withPicture(header) { png.file(of: $0) }
                case .ended: throw PlaybackError(why: "there is no frame at that time")
                }
            }
        } catch {
            throw AppError.playing(item.url, error)
        }
    }

    // MARK: Where

    /// The file's name without its ending: the clip's title, and the time.
    var name: String {
        let title = CleanText.line(item.title ?? SafeURL.text(item.url), limit: 80)
        let words = title.map { "/\\:*?\"<>|".contains($0) ? "-" : String($0) }.joined()
        let clean = words.drop { $0 == "." || $0 == " " }
        let whole = time.components.seconds
        let milliseconds = String(1_000 + Int((time - .seconds(whole)).milliseconds)).dropFirst()
        return "\(clean.isEmpty ? "clip" : clean) \(whole / 60)m\(whole % 60).\(milliseconds)s"
    }

    /// The most files of one name. More of the same frame are not wanted.
    private static let maxSame = 1_000

    /// A new file; one that is there already stays as it is.
    private static func create(in folder: String, named name: String) throws(AppError) -> (path: String, Descriptor) {
        for number in 1...maxSame {
            let path = "\(folder)/\(name)\(number == 1 ? "" : " (\(number))").png"
            do throws(SystemError) {
                return (path, try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW))
            } catch {
                guard error.code == EEXIST else { throw .file("write", path, error.code) }
            }
        }
        throw .file("write", "\(folder)/\(name).png", EEXIST)
    }

    /// The user's folder for pictures, else that for downloads, else their home: the first that exists.
    ///
    /// - Parameters:
    ///   - environment: returns a variable.
    ///   - settings: the text of `user-dirs.dirs` (xdg-user-dirs), which names folders in the user's language.
    ///   - exists: whether there is a folder at a path.
    static func folder(
        environment: (String) -> String?, settings: String?, exists: (String) -> Bool
    ) -> String? {
        guard let home = environment("HOME"), !home.isEmpty else { return nil }
        func named(_ name: String) -> String? {
            environment(name) ?? settings.flatMap { Self.value(of: name, in: $0, home: home) }
        }
        return [
            named("XDG_PICTURES_DIR"), "\(home)/Pictures", named("XDG_DOWNLOAD_DIR"), "\(home)/Downloads", home,
        ].compactMap(\.self).first { $0.hasPrefix("/") && exists($0) }
    }

    /// `XDG_PICTURES_DIR="$HOME/Bilder"`.
    private static func value(of name: String, in settings: String, home: String) -> String? {
        for line in settings.split(separator: "\n") where line.hasPrefix("\(name)=\"") {
            let value = line.dropFirst(name.count + 2).prefix { $0 != "\"" }
            return value.hasPrefix("$HOME/") ? home + value.dropFirst("$HOME".count) : String(value)
        }
        return nil
    }

    /// The folder of this user. Blocks.
    static func folder() -> String? {
        let environment = BaseFolder.environment
        let configuration = environment("XDG_CONFIG_HOME") ?? environment("HOME").map { "\($0)/.config" }
        // `try?`: it is no more than a better folder.
        let text = configuration.flatMap {
            try? FileProvider().readAll(FileURL.url(path: "\($0)/user-dirs.dirs".utf8), limit: 1 << 16)
        }
        let settings = text.map { String(decoding: $0, as: UTF8.self) }
        return folder(environment: environment, settings: settings) { path in
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
    }
}
