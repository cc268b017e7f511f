/// Why a message could not be sent or received. After any of these the connection is closed, and a decoder is killed.
public enum WireError: Error, Equatable, CustomStringConvertible {
    case truncated
    case trailing(Int)
    case unknown(kind: UInt8)
    case tooLarge(Int)
    case invalid(String)
    case closed
    /// waitpid's status.
    case ended(status: Int32)
    /// No message arrived in time.
    case silent
    /// The other side does not read.
    case unread
    /// The other side sent more than the protocol allows.
    case tooMany(String)
    case system(call: String, code: Int32)

    public var description: String {
        switch self {
        case .truncated: "a message ends too soon"
        case .trailing(let count): "a message has \(count) bytes too many"
        case .unknown(let kind): "no message has the number \(kind)"
        case .tooLarge(let count): "a message of \(count) bytes is too large"
        case .invalid(let what): "a message has a bad \(what)"
        case .closed: "the connection was closed"
        // The loader's exit code (ld.so(8)), which the shell also uses for programs that it cannot start.
        case .ended(let status) where status == 127 << 8:
            "flick-decoder cannot start, as a library is missing; run `flick doctor`"
        case .ended(let status): "the process ended (\(describe(status: status)))"
        case .silent: "no response"
        case .unread: "the process does not read its messages"
        case .tooMany(let what): "too many \(what) came"
        case .system(let call, let code): "\(call) failed with error \(code)"
        }
    }
}

/// A message that can go over a channel.
public protocol WireMessage: Sendable {
    /// The whole message: a length of four bytes (itself not counted), a kind of one byte, and the parts.
    func encoded() -> [UInt8]
    /// The message in `bytes`, which begin with the kind. Every length is checked.
    init(decoding bytes: UnsafeRawBufferPointer) throws(WireError)
}

extension ToDecoder: WireMessage {
    public func encoded() -> [UInt8] {
        var writer: MessageWriter
        switch self {
        case .open(let url, let start, let loop, let sound):
            writer = MessageWriter(kind: 1)
            writer.put(url)
            writer.put(start)
            writer.put(loop)
            writer.put(sound)
        case .source(let id, let url, let length, let seekable, let error):
            writer = MessageWriter(kind: 2)
            writer.put(id)
            writer.put(url)
            writer.put(length)
            writer.put(seekable)
            writer.put(error)
        case .data(let id, let offset, let bytes, let error):
            writer = MessageWriter(kind: 3)
            writer.put(id)
            writer.put(offset)
            writer.put(bytes)
            writer.put(error)
        case .surface(let request):
            writer = MessageWriter(kind: 4)
            writer.put(request.generation)
            writer.put(request.width)
            writer.put(request.height)
            writer.put(request.aspectNumerator)
            writer.put(request.aspectDenominator)
            writer.put(request.fit.rawValue)
        case .rate(let thousandths):
            writer = MessageWriter(kind: 5)
            writer.put(thousandths)
        case .seek(let serial, let time, let mode):
            writer = MessageWriter(kind: 6)
            writer.put(serial)
            writer.put(time)
            writer.put(mode.rawValue)
        case .loop(let on):
            writer = MessageWriter(kind: 7)
            writer.put(on)
        case .sound(let on):
            writer = MessageWriter(kind: 8)
            writer.put(on)
        case .release(let slots):
            writer = MessageWriter(kind: 9)
            writer.put(slots.map(UInt8.init(truncatingIfNeeded:)))
        case .credit(let frames):
            writer = MessageWriter(kind: 10)
            writer.put(frames)
        case .close:
            writer = MessageWriter(kind: 11)
        case .link(let bitsPerSecond):
            writer = MessageWriter(kind: 12)
            writer.put(bitsPerSecond)
        case .still(let id, let url, let time):
            writer = MessageWriter(kind: 13)
            writer.put(id)
            writer.put(url)
            writer.put(time)
        case .warm(let time, let bitsPerSecond):
            writer = MessageWriter(kind: 14)
            writer.put(time)
            writer.put(bitsPerSecond)
        case .watched:
            writer = MessageWriter(kind: 15)
        case .soundLanguages(let languages):
            writer = MessageWriter(kind: 16)
            writer.put(UInt32(min(languages.count, WireLimit.tracks)))
            for language in languages.prefix(WireLimit.tracks) { writer.put(language, limit: WireLimit.name) }
        case .soundTrack(let track):
            writer = MessageWriter(kind: 17)
            writer.put(track)
        case .textTrack(let track):
            writer = MessageWriter(kind: 18)
            writer.put(track != nil)
            writer.put(track ?? 0)
        case .loudness(let target):
            writer = MessageWriter(kind: 19)
            writer.put(target)
        case .variant(let wish):
            writer = MessageWriter(kind: 20)
            switch wish {
            case .automatic: writer.put(UInt8(0))
            case .smallest: writer.put(UInt8(1))
            case .index(let index):
                writer.put(UInt8(2))
                writer.put(index)
            }
        }
        return writer.finished()
    }

    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = MessageReader(bytes)
        let kind = try reader.number(UInt8.self)
        switch kind {
        case 1:
            self = .open(
                url: try reader.text(), start: try reader.number(), loop: try reader.flag(), sound: try reader.flag())
        case 2:
            self = .source(
                id: try reader.number(), url: try reader.text(), length: try reader.number(),
                seekable: try reader.flag(), error: try reader.text())
        case 3:
            self = .data(
                id: try reader.number(), offset: try reader.number(), bytes: try reader.data(limit: WireLimit.read),
                error: try reader.text())
        case 4:
            var request = SurfaceRequest(
                generation: try reader.number(), width: try reader.number(), height: try reader.number(),
                aspectNumerator: try reader.number(), aspectDenominator: try reader.number(), fit: .fit)
            guard let fit = SurfaceFit(rawValue: try reader.number()) else { throw .invalid("fit") }
            request.fit = fit
            self = .surface(request)
        case 5: self = .rate(thousandths: try reader.number())
        case 6:
            let (serial, time) = (try reader.number(UInt32.self), try reader.number(Int64.self))
            guard let mode = SeekMode(rawValue: try reader.number()) else { throw .invalid("seek mode") }
            self = .seek(serial: serial, time: time, mode: mode)
        case 7: self = .loop(try reader.flag())
        case 8: self = .sound(try reader.flag())
        case 9: self = .release(slots: try reader.data(limit: Int(PictureRing.slots)).map(UInt32.init))
        case 10: self = .credit(frames: try reader.number())
        case 11: self = .close
        case 12: self = .link(bitsPerSecond: try reader.number())
        case 13: self = .still(id: try reader.number(), url: try reader.text(), time: try reader.number())
        case 14: self = .warm(time: try reader.time(), bitsPerSecond: try reader.number())
        case 15: self = .watched
        case 16:
            let count = Int(try reader.number(UInt32.self))
            guard count <= WireLimit.tracks else { throw .tooLarge(count) }
            var languages: [String] = []
            for _ in 0..<count { languages.append(try reader.text(limit: WireLimit.name)) }
            self = .soundLanguages(languages)
        case 17: self = .soundTrack(try reader.number())
        case 18:
            let isWanted = try reader.flag()
            let track = try reader.number(UInt32.self)
            self = .textTrack(isWanted ? track : nil)
        case 19: self = .loudness(target: try reader.number())
        case 20:
            switch try reader.number(UInt8.self) {
            case 0: self = .variant(.automatic)
            case 1: self = .variant(.smallest)
            case 2: self = .variant(.index(try reader.number()))
            default: throw .invalid("variant")
            }
        default: throw .unknown(kind: kind)
        }
        try reader.finish()
    }
}

extension FromDecoder: WireMessage {
    public func encoded() -> [UInt8] {
        var writer: MessageWriter
        switch self {
        case .hello(let version, let confinement):
            writer = MessageWriter(kind: 1)
            writer.put(version)
            writer.put(confinement.rawValue)
        case .openURL(let id, let want):
            writer = MessageWriter(kind: 2)
            writer.put(id)
            want.put(into: &writer)
        case .read(let id, let offset, let count):
            writer = MessageWriter(kind: 3)
            writer.put(id)
            writer.put(offset)
            writer.put(count)
        case .closeURL(let id):
            writer = MessageWriter(kind: 4)
            writer.put(id)
        case .opened(let info):
            writer = MessageWriter(kind: 5)
            info.put(into: &writer)
        case .picture(let header):
            writer = MessageWriter(kind: 6)
            header.put(into: &writer)
        case .sound(let serial, let pts, let mediaTime, let samples):
            writer = MessageWriter(kind: 7)
            writer.put(serial)
            writer.put(pts)
            writer.put(mediaTime)
            writer.put(samples)
        case .buffered(let serial, let until):
            writer = MessageWriter(kind: 8)
            writer.put(serial)
            writer.put(min(max(until, -WireLimit.time + 1), WireLimit.time - 1))
        case .ended(let serial):
            writer = MessageWriter(kind: 9)
            writer.put(serial)
        case .failed(let code, let why, let advice, let detail):
            writer = MessageWriter(kind: 10)
            writer.put(code.rawValue)
            writer.put(why, limit: WireLimit.words)
            writer.put(advice, limit: WireLimit.words)
            writer.put(detail, limit: WireLimit.words)
        case .expect(let want):
            writer = MessageWriter(kind: 11)
            want.put(into: &writer)
        case .variant(let index, let why):
            writer = MessageWriter(kind: 12)
            writer.put(index)
            writer.put(why, limit: WireLimit.words)
        case .still(let id, let header):
            writer = MessageWriter(kind: 13)
            writer.put(id)
            header.put(into: &writer)
        case .noStill(let id, let code, let why):
            writer = MessageWriter(kind: 14)
            writer.put(id)
            writer.put(code.rawValue)
            writer.put(why, limit: WireLimit.words)
        case .through(let serial):
            writer = MessageWriter(kind: 15)
            writer.put(serial)
        case .cue(let serial, let start, let end, let text):
            writer = MessageWriter(kind: 16)
            writer.put(serial)
            writer.put(start)
            writer.put(end)
            writer.put(text, limit: WireLimit.cue)
        case .seekable: writer = MessageWriter(kind: 17)
        case .begins(let serial, let time):
            writer = MessageWriter(kind: 18)
            writer.put(serial)
            writer.put(time)
        case .loudness(let sound):
            writer = MessageWriter(kind: 19)
            writer.put(sound.loudness)
            writer.put(sound.gain)
            writer.put(sound.origin.rawValue)
        }
        return writer.finished()
    }

    public init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        var reader = MessageReader(bytes)
        let kind = try reader.number(UInt8.self)
        switch kind {
        case 1:
            self = .hello(
                version: try reader.number(),
                confinement: Confinement(rawValue: try reader.number()).intersection(.all))
        case 2:
            self = .openURL(id: try reader.number(), want: try ByteWant(reading: &reader))
        case 3:
            let (id, offset) = (try reader.number(UInt32.self), try reader.number(Int64.self))
            let count = try reader.number(UInt32.self)
            guard count <= WireLimit.read else { throw .tooLarge(Int(count)) }
            guard offset >= 0 else { throw .invalid("offset") }
            self = .read(id: id, offset: offset, count: count)
        case 4: self = .closeURL(id: try reader.number())
        case 5: self = .opened(try MediaInfo(reading: &reader))
        case 6: self = .picture(try PictureHeader(reading: &reader))
        case 7:
            let (serial, pts, mediaTime) = (
                try reader.number(UInt32.self), try reader.time(), try reader.time()
            )
            let samples = try reader.samples(limit: WireLimit.soundFrames * 2)
            guard samples.count.isMultiple(of: 2) else { throw .invalid("number of samples") }
            self = .sound(serial: serial, pts: pts, mediaTime: mediaTime, samples: samples)
        case 8: self = .buffered(serial: try reader.number(), until: try reader.time())
        case 9: self = .ended(serial: try reader.number())
        case 10:
            guard let code = FailureCode(rawValue: try reader.number()) else { throw .invalid("failure code") }
            self = .failed(
                code: code, why: try reader.text(limit: WireLimit.words),
                advice: try reader.text(limit: WireLimit.words), detail: try reader.text(limit: WireLimit.words))
        case 11: self = .expect(try ByteWant(reading: &reader))
        case 12:
            let index = try reader.number(UInt32.self)
            guard index < WireLimit.variants else { throw .invalid("variant") }
            self = .variant(index: index, why: try reader.text(limit: WireLimit.words))
        case 13: self = .still(id: try reader.number(), try PictureHeader(reading: &reader))
        case 14:
            let id = try reader.number(UInt32.self)
            guard let code = FailureCode(rawValue: try reader.number()) else { throw .invalid("failure code") }
            self = .noStill(id: id, code: code, why: try reader.text(limit: WireLimit.words))
        case 15: self = .through(serial: try reader.number())
        case 16:
            let serial = try reader.number(UInt32.self)
            let (start, end) = (try reader.time(), try reader.time())
            guard start >= 0, end >= start else { throw .invalid("cue") }
            self = .cue(serial: serial, start: start, end: end, text: try reader.text(limit: WireLimit.cue))
        case 17: self = .seekable
        case 18:
            let serial = try reader.number(UInt32.self)
            let time = try reader.time()
            guard time >= 0 else { throw .invalid("beginning") }
            self = .begins(serial: serial, at: time)
        case 19:
            let (loudness, gain) = (try reader.number(Int32.self), try reader.number(Int32.self))
            guard let origin = SoundLoudness.Origin(rawValue: try reader.number()) else { throw .invalid("origin") }
            self = .loudness(SoundLoudness(loudness: loudness, gain: gain, origin: origin))
        default: throw .unknown(kind: kind)
        }
        try reader.finish()
    }
}

extension ByteWant {
    fileprivate func put(into writer: inout MessageWriter) {
        writer.put(url)
        writer.put(role.rawValue)
        writer.put(offset)
        writer.put(end)
        writer.put(from)
        writer.put(to)
    }

    fileprivate init(reading reader: inout MessageReader) throws(WireError) {
        let url = try reader.text()
        guard let role = WireByteRole(rawValue: try reader.number()) else { throw .invalid("role") }
        self.init(
            url: url, role: role, offset: try reader.number(), end: try reader.number(), from: try reader.time(),
            to: try reader.time())
        guard offset >= 0, end == -1 || end >= offset else { throw .invalid("span") }
        guard from >= 0, to >= from else { throw .invalid("place") }
    }
}

extension PictureHeader {
    fileprivate func put(into writer: inout MessageWriter) {
        writer.put(slot)
        writer.put(serial)
        writer.put(generation)
        writer.put(pts)
        writer.put(mediaTime)
        writer.put(duration)
        writer.put(width)
        writer.put(height)
        writer.put(stride)
        writer.put(isKey)
        writer.put(isCorrupt)
    }

    fileprivate init(reading reader: inout MessageReader) throws(WireError) {
        self.init(
            slot: try reader.number(), serial: try reader.number(), generation: try reader.number(),
            pts: try reader.time(), mediaTime: try reader.time(), duration: try reader.time(),
            width: try reader.number(), height: try reader.number(), stride: try reader.number(),
            isKey: try reader.flag(), isCorrupt: try reader.flag())
        guard slot < PictureRing.slots else { throw .invalid("slot") }
        guard width > 0, height > 0, width <= stride, PictureRing.fits(stride: stride, height: height) else {
            throw .invalid("picture size")
        }
    }
}

extension MediaInfo {
    fileprivate func put(into writer: inout MessageWriter) {
        writer.put(container, limit: WireLimit.words)
        writer.put(min(max(duration, -1), WireLimit.time - 1))
        writer.put(isSeekable)
        writer.put(isStill)
        writer.put(rotation)
        writer.put(min(displayWidth, WireLimit.side))
        writer.put(min(displayHeight, WireLimit.side))
        writer.put(sampleAspectNumerator)
        writer.put(sampleAspectDenominator)
        let listed = streams.prefix(WireLimit.streams)
        writer.put(UInt32(listed.count))
        for stream in listed {
            writer.put(stream.index)
            writer.put(stream.kind.rawValue)
            writer.put(stream.codec, limit: WireLimit.name)
            writer.put(stream.profile, limit: WireLimit.name)
            writer.put(stream.language, limit: WireLimit.name)
            writer.put(stream.bitrate)
            writer.put(stream.width)
            writer.put(stream.height)
            writer.put(stream.format, limit: WireLimit.name)
            writer.put(stream.rate)
            writer.put(stream.channels)
            writer.put(stream.isChosen)
        }
        let offered = variants.prefix(WireLimit.variants)
        writer.put(UInt32(offered.count))
        for variant in offered {
            writer.put(variant.bandwidth)
            writer.put(variant.width)
            writer.put(variant.height)
            writer.put(variant.codecs, limit: WireLimit.name)
            writer.put(variant.isPlayable)
            writer.put(variant.isChosen)
            writer.put(variant.why, limit: WireLimit.words)
        }
        for text in [tags.title, tags.artist, tags.album, tags.comment, tags.genre, tags.date] {
            writer.put(text, limit: WireLimit.tag)
        }
        Chapter.put(chapters, into: &writer)
        Track.put(soundTracks, into: &writer)
        Track.put(textTracks, into: &writer)
    }

    fileprivate init(reading reader: inout MessageReader) throws(WireError) {
        self.init(
            container: try reader.text(limit: WireLimit.words), duration: try reader.time(),
            isSeekable: try reader.flag(), streams: [])
        isStill = try reader.flag()
        rotation = try reader.number()
        guard [0, 90, 180, 270].contains(rotation) else { throw .invalid("rotation") }
        displayWidth = try reader.number()
        displayHeight = try reader.number()
        guard max(displayWidth, displayHeight) <= WireLimit.side else { throw .invalid("display size") }
        sampleAspectNumerator = try reader.number()
        sampleAspectDenominator = try reader.number()
        let count = Int(try reader.number(UInt32.self))
        guard count <= WireLimit.streams else { throw .tooLarge(count) }
        for _ in 0..<count {
            let index = try reader.number(UInt32.self)
            guard let kind = Stream.Kind(rawValue: try reader.number()) else { throw .invalid("stream kind") }
            streams.append(
                Stream(
                    index: index, kind: kind, codec: try reader.text(limit: WireLimit.name),
                    profile: try reader.text(limit: WireLimit.name), language: try reader.text(limit: WireLimit.name),
                    bitrate: try reader.number(), width: try reader.number(),
                    height: try reader.number(), format: try reader.text(limit: WireLimit.name),
                    rate: try reader.number(),
                    channels: try reader.number(), isChosen: try reader.flag()))
        }
        let offered = Int(try reader.number(UInt32.self))
        guard offered <= WireLimit.variants else { throw .tooLarge(offered) }
        for _ in 0..<offered {
            var variant = Variant(
                bandwidth: try reader.number(), width: try reader.number(), height: try reader.number(),
                codecs: try reader.text(limit: WireLimit.name))
            variant.isPlayable = try reader.flag()
            variant.isChosen = try reader.flag()
            variant.why = try reader.text(limit: WireLimit.words)
            variants.append(variant)
        }
        tags = Tags(
            title: try reader.text(limit: WireLimit.tag), artist: try reader.text(limit: WireLimit.tag),
            album: try reader.text(limit: WireLimit.tag), comment: try reader.text(limit: WireLimit.tag),
            genre: try reader.text(limit: WireLimit.tag), date: try reader.text(limit: WireLimit.tag))
        chapters = try Chapter.list(&reader)
        soundTracks = try Track.list(&reader)
        textTracks = try Track.list(&reader)
    }
}
