internal import CFFmpeg
import Threads
import Wire

/// One decoder process. It greets flick, opens the clip that flick names, and sends pictures and sound within
/// the limits of free slots and credit, until flick closes the channel. `run` blocks its thread until then.
///
/// Works and sends on that thread. A second thread only receives, so that flick can always
/// send. While libav waits for bytes, packets that were read earlier are decoded and sent.
public final class DecoderSession {
    let channel: OwnerChannel
    let messages = MessageQueue()
    private let confinement: Confinement
    private let client: ByteClient
    private var clip: ClipDecoder?
    private var output: Output
    /// The network's recently measured speed in bits a second; 0 while unknown.
    private var link: Int64 = 0
    /// What holds while the clip is out of view; nil while it is in view.
    private var warm: (time: Microseconds, bits: Int64)? {
        didSet {
            output.isWarm = warm != nil
            if let warm { clip?.readAheadUntilWatched = warm.time }
        }
    }

    /// The tracks that were requested before the clip was open.
    private var wishes = TrackWishes()
    /// The target for all sound, in LUFS; nil: it stays as it is.
    private var loudness: Double?

    /// The time between attempts to read audio or text that a clip plays without, usually.
    public static let retryInterval: Microseconds = 10_000_000

    /// - Parameters:
    ///   - confinement: the restrictions that the process runs under.
    ///   - retryInterval: the time between attempts to read audio or text that a clip plays without.
    public init(
        channel: OwnerChannel, ring: PictureRing, confinement: Confinement = [],
        retryInterval: Microseconds = DecoderSession.retryInterval
    ) {
        self.channel = channel
        self.confinement = confinement
        output = Output(channel: channel, ring: ring)
        client = ByteClient(channel: channel, messages: messages, retryInterval: retryInterval)
        // The session keeps the client alive.
        client.workWhileWaiting = { [unowned self] in workWhileWaiting() }
    }

    /// Blocks until flick has closed the channel.
    public func run() {
        output.send(.hello(version: WireLimit.version, confinement: confinement))
        let (channel, messages) = (channel, messages)
        do throws(OutOfThreads) { try BlockingThread.begin(1) } catch {
            return output.fail(MediaError(.limits, "out of threads"))
        }
        BlockingThread.start {
            // Any error means that the channel is useless.
            while let message = try? channel.receive() { messages.put(message) }
            messages.close()
        }
        av_log_set_level(AV_LOG_QUIET)
        // A picture of 16384 x 8192 pixels fits; files that need more memory are refused.
        av_max_alloc(512 << 20)
        while !messages.isClosed, !output.isClosed {
            let version = messages.version
            if let order = messages.next() {
                follow(order)
            } else if let clip, !output.hasFailed {
                do throws(MediaError) {
                    if try clip.work() {
                        output.flushLate()
                    } else {
                        output.flush()
                        messages.wait(past: version, until: clip.wakeTime)
                    }
                } catch { output.fail(error) }
            } else {
                messages.wait(past: version)
            }
        }
        clip = nil
    }

    private func follow(_ order: ToDecoder) {
        guard !output.hasFailed else { return }
        if follow(harmless: order) { return }
        do throws(MediaError) {
            switch order {
            case .open(let url, let start, let loop, let sound):
                guard clip == nil else { throw MediaError(.other, "a decoder opens one clip only") }
                clip = try ClipDecoder(
                    demuxer: demuxer(url, start), output: output, start: start, loops: loop, wantsSound: sound,
                    loudness: loudness)
                // These messages came while the clip was being opened.
                clip?.demuxer.adapt(surface: output.request, link: link)
                clip?.demuxer.chooseVariant(wishes.variant)
                clip?.readAheadUntilWatched = warm?.time
            case .seek(let serial, let time, let mode):
                guard let clip else { throw MediaError(.other, "no clip is open to seek in") }
                try clip.seek(serial: serial, to: time, mode: mode)
            case .still(let id, let url, let time): makeStill(id, url, at: time)
            case .mux(let url): try mux(url)
            case .rate(let thousandths): output.rate = min(max(thousandths, 250), 4_000)
            case .loop(let on): clip?.setLoops(on)
            case .sound(let on): clip?.setSound(on)
            case .loudness(let target): loudness = Double(target) / 100
            case .soundLanguages(let languages): wishes.soundLanguages = languages
            case .soundTrack(let track): try clip?.chooseSound(Int(track))
            case .textTrack(let track):
                wishes.text = track.map(Int.init)
                clip?.demuxer.chooseText(wishes.text)
                clip?.density = CueDensity()
            default: break
            }
        } catch { output.fail(error) }
    }

    /// Puts a clip into one file. Blocks until that is done, or the channel is closed.
    private func mux(_ url: String) throws(MediaError) {
        guard clip == nil else { throw MediaError(.other, "cannot mux while a clip is open") }
        let demuxer = try demuxer(url, 0, failsOnGaps: true)
        let formats = [demuxer.video, demuxer.audio].compactMap { $0 }
        guard !formats.isEmpty else { throw MediaError.nothingInIt }
        let muxer = try Muxer(formats) { [output] container, offset, bytes in
            output.send(.muxed(container, offset: offset, bytes: Array(bytes)))
            return !output.isClosed
        }
        while !messages.isClosed, !output.isClosed {
            let version = messages.version
            switch try demuxer.next() {
            case .packet(let packet, let format):
                var packet = packet
                defer { freePacket(&packet) }
                try muxer.write(packet, format)
            case .text, .noSound: break
            case .later(let time): messages.wait(past: version, until: time)
            case .interrupted: return
            case .end:
                try muxer.finish(at: demuxer.info.duration)
                return output.send(.ended(serial: 0))
            }
        }
    }

    /// Works while a read waits for its bytes; false if there is nothing to do.
    private func workWhileWaiting() -> Bool {
        if let order = messages.nextHarmless() { return follow(harmless: order) }
        do throws(MediaError) {
            if try clip?.workWithoutReading() == true {
                output.flushLate()
                return true
            }
        } catch {
            output.fail(error)
        }
        clip?.reportBeforeWaiting()
        output.flush()
        return false
    }

    /// Makes one picture of an image or a clip, and closes it again. Blocks until there is one, or none.
    private func makeStill(_ id: UInt32, _ url: String, at time: Microseconds) {
        guard clip == nil else {
            return output.send(.noStill(id: id, code: .other, why: "a decoder that plays a clip makes no stills"))
        }
        output.beginStill(id)
        client.isQuiet = true
        defer { client.isQuiet = false }
        do throws(MediaError) {
            let demuxer = try demuxer(url, time, orCover: true)
            let source = try ClipDecoder(
                demuxer: demuxer, output: output, start: demuxer.info.isStill ? 0 : time, loops: false,
                wantsSound: false)
            guard source.video != nil else { throw MediaError(.undecodable, "it contains no frame") }
            while !output.hasSentStill, !messages.isClosed, !output.isClosed {
                let version = messages.version
                if let order = messages.nextHarmless() {
                    _ = follow(harmless: order)
                } else if try !source.work() {
                    guard !source.isOver else { throw MediaError(.undecodable, "it contains no frame") }
                    messages.wait(past: version, until: source.wakeTime)
                }
            }
        } catch {
            output.send(.noStill(id: id, code: error.code, why: error.why))
        }
        output.endStill()
    }

    /// The demuxer for `url`, chosen by its first bytes.
    ///
    /// - Parameters:
    ///   - orCover: whether music gives its cover in place of its audio.
    ///   - failsOnGaps: whether a missing part is an error.
    private func demuxer(
        _ url: String, _ start: Microseconds, orCover: Bool = false, failsOnGaps: Bool = false
    ) throws(MediaError) -> any Demuxer {
        let main = try client.open(ByteWant(url: url, role: .media))
        let beginning = try main.beginning()
        let first = FirstBytes(beginning)
        guard !beginning.isEmpty else { throw first.error() }
        var root = DashManifest.root(of: beginning)
        if root == .unfinished {
            let bytes = try main.whole(limit: PlaylistText.maxBytes, what: "the data before its manifest")
            main.replace(with: bytes)
            root = DashManifest.root(of: bytes[...])
        }
        if PlaylistText.isPlaylist(beginning) || root == .manifest {
            return try PlaylistDemuxer(
                main, url: url, client: client, surface: output.request, link: link,
                maxBits: warm?.bits ?? VariantChoice.maxBitsAtStart, start: start, wishes: wishes,
                failsOnGaps: failsOnGaps)
        }
        if beginning.first == 0x47, Encryption.isScrambled(stream: beginning) { throw Encryption.error() }
        // An MP4 can have its index at its end. A server without ranges must send everything before that first.
        if beginning.dropFirst(4).starts(with: "ftyp".utf8) {
            main.seekByWaiting(evenToUnknownEnd: FirstBytes.hasLateIndex(beginning))
        }
        do throws(MediaError) {
            return try FileDemuxer(
                main, url: url, client: client, isShown: output.request != nil, wishes: wishes, orCover: orCover)
        } catch {
            // libav takes some texts for pictures, which no decoder can decode.
            guard error.code == .notMedia || error.code == .undecodable && first.other != nil else { throw error }
            throw first.error(detail: error.detail.isEmpty ? error.why : "\(error.why): \(error.detail)")
        }
    }

    /// Handles an order that neither reads nor seeks; false for other orders.
    private func follow(harmless order: ToDecoder) -> Bool {
        switch order {
        case .release(let slots): slots.forEach(output.release)
        case .credit(let frames): output.credit += Int(frames)
        case .surface(let request):
            output.show(on: request)
            clip?.demuxer.adapt(surface: request, link: link)
        case .link(let bitsPerSecond):
            link = max(0, bitsPerSecond)
            clip?.demuxer.adapt(surface: output.request, link: link)
        case .warm(let time, let bitsPerSecond): warm = (max(0, time), max(0, bitsPerSecond))
        case .watched: warm = nil
        case .variant(let wish):
            wishes.variant = wish
            clip?.demuxer.chooseVariant(wish)
        default: return false
        }
        return true
    }
}
