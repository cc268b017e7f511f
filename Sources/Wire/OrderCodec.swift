import Model

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
            writer.put(request.fit.number)
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
        case .mux(let url):
            writer = MessageWriter(kind: 21)
            writer.put(url)
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
            guard let fit = PictureFit(number: try reader.number()) else { throw .invalid("fit") }
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
        case 21: self = .mux(url: try reader.text())
        default: throw .unknown(kind: kind)
        }
        try reader.finish()
    }
}

extension PictureFit {
    /// Its number in messages.
    fileprivate var number: UInt8 {
        switch self {
        case .fit: 0
        case .fill: 1
        case .auto: 2
        }
    }

    fileprivate init?(number: UInt8) {
        guard let fit = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = fit
    }
}
