import Bytes
import Model
import Threads

/// Asks yt-dlp where the clip of a web page is.
public struct YTDLPResolver: MediaResolver {
    private let program: YTDLP
    private let need: MediaNeed

    /// - Parameter savesData: whether small ones of several files are chosen.
    public init(_ program: YTDLP, savesData: Bool = false) {
        self.init(program, need: MediaNeed(savesData: savesData))
    }

    init(_ program: YTDLP, need: MediaNeed) { (self.program, self.need) = (program, need) }

    public func resolve(
        _ asset: Asset, with provider: any ByteProvider, cancellation: Cancellation
    ) throws(BytesError) -> ResolvedMedia {
        let info: YTDLPInfo
        do throws(YTDLP.ResolveError) { info = try program.single(asset.url, cancellation) } catch {
            let isCancelled = error == .program(.cancelled)
            throw BytesError(
                verb: .open, url: asset.url,
                reason: isCancelled ? .cancelled : .unresolved(by: Resolver.ytDLP.name, why: "\(error)"))
        }
        do throws(YTDLPChoice.ChoiceError) { return try YTDLPChoice.media(of: info, need: need) } catch {
            throw BytesError(
                verb: .open, url: asset.url, reason: .unresolved(by: Resolver.ytDLP.name, why: error.why))
        }
    }

    public func close() { program.close() }
}
