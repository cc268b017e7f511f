import Bytes
import Feeds
import Model
import Platform
import Player
import Wire

/// `flick probe`: prints what a file contains and which streams flick would play. Throws `AppError`.
public func probe(media: String, json: Bool, setup: Setup) throws {
    setup.printWarnings()
    let command = setup.commandProvider()
    defer { command.close() }
    let clip = try ClipArgument.asset(media, provider: command.provider, options: setup.feedOptions())
    let info = try facts(of: clip, bytes: MediaBytes(network: command.provider))
    let name = SourceName.text(clip.url)
    var output = StandardOutput()
    output.write(json ? ProbeReport.json(info, name: name) : ProbeReport.text(info, name: name))
    try output.finish()
}

/// Opens a clip, reads its facts and closes it.
private func facts(of clip: Asset, bytes: MediaBytes) throws(AppError) -> MediaInfo {
    do {
        let run = try LinearDecode(
            url: clip.url, asset: clip, pictures: nil, start: .zero, decoderPath: try Installation.decoderPath(),
            bytes: bytes)
        while true {
            switch try run.next() {
            case .opened(let info): return info
            case .picture: continue
            case .ended: throw PlaybackError(why: "the decoder exited before the clip was open")
            }
        }
    } catch let error as AppError {
        throw error
    } catch {
        throw AppError.playing(clip.url, error)
    }
}
