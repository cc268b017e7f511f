import Bytes
import Feeds
import Model
import Player
import Wire

/// `flick probe`: what a file holds and what of it would be played. Throws `AppError`.
public func probe(media: String, json: Bool, setup: Setup) throws {
    setup.printWarnings()
    let command = setup.commandProvider()
    defer { command.close() }
    let clip = try clipURL(media, provider: command.provider)
    let info = try facts(of: clip, provider: command.provider)
    let name = SourceName.text(clip)
    var output = StandardOutput()
    output.write(json ? ProbeReport.json(info, name: name) : ProbeReport.text(info, name: name))
    try output.finish()
}

/// Opens a clip and lets it go again.
private func facts(of url: String, provider: any ByteProvider) throws(AppError) -> MediaInfo {
    do {
        let run = try LinearDecode(
            url: url, pictures: nil, start: .zero, decoderPath: try decoderPath(), provider: provider)
        while true {
            switch try run.next() {
            case .opened(let info): return info
            case .picture: continue
            case .ended: throw PlaybackFailure(why: "it ended before it was open")
            }
        }
    } catch let error as AppError {
        throw error
    } catch {
        throw AppError.playing(url, error)
    }
}

/// The decoder of this installation.
func decoderPath() throws(AppError) -> String {
    guard let decoder = Installation.current().decoder else {
        throw AppError(
            "cannot find flick-decoder, which belongs beside flick or in ../libexec/flick; install flick again")
    }
    return decoder
}

/// The absolute URL of one clip named on the command line.
func clipURL(_ argument: String, provider: any ByteProvider) throws(AppError) -> String {
    do {
        switch try Source.parse(argument, provider: provider) {
        case .clip(let url): return url
        case .folder:
            throw AppError("'\(CleanText.line(argument))' is a folder; name one clip, or browse it with `flick`")
        case .manifest:
            throw AppError("'\(CleanText.line(argument))' is a manifest; name one clip, or list it with `flick feed`")
        case .standardInput: throw AppError("a clip cannot be read from standard input; name a file")
        }
    } catch let error as AppError {
        throw error
    } catch {
        throw AppError("\(error)")
    }
}
