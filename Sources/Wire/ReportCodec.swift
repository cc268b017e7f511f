import Model

extension FromDecoder: WireMessage {
    public func encoded() -> [UInt8] {
        var writer: MessageWriter
        switch self {
        case .hello(let version, let confinement):
            writer = MessageWriter(kind: 1)
            writer.put(version)
            writer.put(confinement.rawValue)
        case .openURL(let id, let want, let isPatient):
            writer = MessageWriter(kind: 2)
            writer.put(id)
            want.put(into: &writer)
            writer.put(isPatient)
        case .read(let id, let offset, let count, let isPatient):
            writer = MessageWriter(kind: 3)
            writer.put(id)
            writer.put(offset)
            writer.put(count)
            writer.put(isPatient)
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
        case .muxed(let container, let offset, let bytes):
            writer = MessageWriter(kind: 20)
            writer.put(container.rawValue)
            writer.put(offset)
            writer.put(bytes)
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
            self = .openURL(
                id: try reader.number(), want: try ByteWant(reading: &reader), isPatient: try reader.flag())
        case 3:
            let (id, offset) = (try reader.number(UInt32.self), try reader.number(Int64.self))
            let count = try reader.number(UInt32.self)
            guard count <= WireLimit.read else { throw .tooLarge(Int(count)) }
            guard offset >= 0 else { throw .invalid("offset") }
            self = .read(id: id, offset: offset, count: count, isPatient: try reader.flag())
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
            guard let origin = LoudnessOrigin(rawValue: try reader.number()) else { throw .invalid("origin") }
            self = .loudness(SoundLoudness(loudness: loudness, gain: gain, origin: origin))
        case 20:
            guard let container = MuxedContainer(rawValue: try reader.number()) else { throw .invalid("container") }
            let offset = try reader.number(Int64.self)
            guard offset >= 0 else { throw .invalid("offset") }
            self = .muxed(container, offset: offset, bytes: try reader.data(limit: WireLimit.muxed))
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
