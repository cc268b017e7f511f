import CProcess
import Foundation
import Media
import Model
import Synchronization
import Testing
import Wire

/// flick's side of a decoder that runs in this process: serves files, releases pictures, grants credit for sound, and
/// records all messages.
///
/// It plays as fast as the decoder can, but lets it read ahead first, and plays
/// pictures and sound of the same time together. Otherwise it would depend on the
/// machine's speed whether the buffer runs low, and which of them ends first.
final class DecoderHarness: @unchecked Sendable {
    // @unchecked: only the test's thread uses it; the session's thread has its own channel.

    let channel: DecoderChannel
    let ring: PictureRing
    var pictures: [(header: PictureHeader, pixels: [UInt32])] = []
    var sounds: [(serial: UInt32, pts: Int64, mediaTime: Int64, samples: [Int16])] = []
    var stills: [(id: UInt32, header: PictureHeader, pixels: [UInt32])] = []
    var noStills: [(id: UInt32, code: FailureCode, why: String)] = []
    var info: MediaInfo?
    var failure: (code: FailureCode, why: String)?
    var failureDetail = ""
    var advice = ""
    var ended: [UInt32] = []
    var through: [UInt32] = []
    var begins: [(serial: UInt32, time: Int64)] = []
    var order: [String] = []
    var opened: [String] = []
    /// The resources that the decoder opened, and those it announced.
    var wants: [ByteWant] = []
    /// Whether the decoder could wait for each of those it opened.
    private var patience: [Bool] = []
    var expected: [ByteWant] = []
    var variants: [(index: UInt32, why: String)] = []
    var loudnesses: [SoundLoudness] = []
    var cues: [(serial: UInt32, start: Int64, end: Int64, text: String)] = []
    var bufferedUntil: Int64 = 0
    /// The file that a clip was put into.
    var muxed: (container: MuxedContainer?, bytes: [UInt8], pieces: Int) = (nil, [], 0)
    /// How many bytes were served.
    var served = 0
    /// Called before files are looked for: returns other bytes, perhaps from
    /// another URL, or an error; nil: use the files.
    var serve: (ByteWant) -> Served? = { _ in nil }
    var releases = true
    /// Pictures from this time of the clip on are not released, in microseconds.
    var releasesUntil = Int64.max
    /// Whether the decoder reads ahead after each picture, and not only when all slots are full.
    var releasesOneByOne = false
    var grants = true
    /// Whether pictures are released as they come, so that the decoder never has any in stock.
    var releasesAtOnce = false
    /// What has come and was neither released nor granted.
    private var held: (pictures: [PictureHeader], frames: UInt32) = ([], 0)
    /// While true, reads are queued and not answered.
    var delaysReads = false
    /// Whether files are reported as seekable.
    var isSeekable = true
    /// Whether files are reported without their lengths.
    var hidesLength = false
    /// Whether the length and random access are reported once the end of a file was read.
    var reportsLengthAtEnd = false
    var delayedReads: [(id: UInt32, offset: Int64, count: UInt32)] = []
    var bufferedCount = 0
    /// Reads from this offset on fail.
    var failsReadsFrom: Int64 = .max
    /// The serial of the last seek: pictures from before it are released as they come, as flick shows none of them.
    var sought: UInt32 = 0
    private(set) var failedReads = 0
    private var files: [UInt32: [UInt8]] = [:]
    private var playback = PlaybackWithoutClock()
    private let done = DispatchSemaphore(value: 0)

    enum Served {
        case bytes([UInt8], at: String? = nil)
        case failure(String)
    }

    /// - Parameter retryInterval: as `DecoderSession` has it, in microseconds.
    init(retryInterval: Int64 = DecoderSession.retryInterval) throws {
        var pair: [Int32] = [-1, -1]
        let code = flick_socket_pair(&pair, 1 << 20)
        guard code == 0 else { throw WireError.system(call: "socketpair", code: -code) }
        channel = DecoderChannel(descriptor: pair[0])
        ring = try PictureRing()
        let theirs = OwnerChannel(descriptor: pair[1])
        let theirRing = try PictureRing(descriptor: dup(ring.descriptor))
        let done = done
        Thread.detachNewThread {
            DecoderSession(channel: theirs, ring: theirRing, retryInterval: retryInterval).run()
            done.signal()
        }
    }

    /// Opens a file with the usual settings.
    static func open(
        _ path: String, width: UInt32 = 64, height: UInt32 = 64, fit: PictureFit = .fit, start: Int64 = 0,
        loop: Bool = false,
        sound: Bool = true, aspect: (UInt32, UInt32) = (1, 1)
    ) throws -> DecoderHarness {
        let harness = try DecoderHarness()
        try harness.start(
            path, width: width, height: height, fit: fit, start: start, loop: loop, sound: sound, aspect: aspect)
        return harness
    }

    func start(
        _ path: String, width: UInt32 = 64, height: UInt32 = 64, fit: PictureFit = .fit, start: Int64 = 0,
        loop: Bool = false, sound: Bool = true, aspect: (UInt32, UInt32) = (1, 1)
    ) throws {
        let url = path.contains("://") ? path : "file://\(path)"
        try channel.send(
            .surface(
                SurfaceRequest(
                    generation: 1, width: width, height: height, aspectNumerator: aspect.0,
                    aspectDenominator: aspect.1, fit: fit)))
        try channel.send(.credit(frames: 48_000))
        try channel.send(.open(url: url, start: start, loop: loop, sound: sound))
    }

    /// Receives messages until `condition` is true or the decoder has failed. Throws after a minute without a message,
    /// and after five minutes of messages.
    func run(until condition: (DecoderHarness) -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(300)
        while !condition(self), failure == nil {
            if ContinuousClock.now > deadline { throw EndlessMessages(order: order.suffix(20)) }
            try handle(next())
        }
    }

    private func next() throws -> FromDecoder {
        var entry = pollfd(fd: channel.descriptor, events: Int16(POLLIN), revents: 0)
        while !channel.hasMessage, poll(&entry, 1, playback.wait ?? 60_000) == 0 {
            guard playback.wait != nil else { throw Silence(order: order.suffix(5)) }
            let (slots, frames) = playback.play(oneByOne: releasesOneByOne)
            if !slots.isEmpty { try channel.send(.release(slots: slots)) }
            if frames > 0 { try channel.send(.credit(frames: frames)) }
        }
        return try channel.receive()
    }

    /// The decoder waits for something that the test does not send.
    struct Silence: Error {
        /// Its last messages.
        let order: ArraySlice<String>
    }

    /// The decoder keeps sending, but never what the test waits for.
    struct EndlessMessages: Error {
        /// Its last messages.
        let order: ArraySlice<String>
    }

    /// A picture by its index; fails the test if there are fewer.
    func picture(_ index: Int) throws -> (header: PictureHeader, pixels: [UInt32]) {
        try #require(pictures.dropFirst(index).first, "\(pictures.count) pictures came")
    }

    /// Whether it could wait, each time that it opened `url`.
    func patience(of url: String) -> [Bool] { zip(wants, patience).filter { $0.0.url == url }.map(\.1) }

    func runToEnd() throws { try run { !$0.ended.isEmpty } }

    /// Releases what is held up to this time of the clip, in microseconds, and what follows as it comes. Without an
    /// end, sound that is held is granted too.
    func playOn(until end: Int64 = .max) throws {
        (releases, releasesUntil) = (true, end)
        try channel.send(.release(slots: held.pictures.filter { $0.mediaTime < end }.map(\.slot)))
        held.pictures.removeAll { $0.mediaTime < end }
        guard end == .max else { return }
        grants = true
        try channel.send(.credit(frames: held.frames))
        held.frames = 0
    }

    private func handle(_ message: FromDecoder) throws {
        switch message {
        case .hello: order.append("hello")
        case .openURL(let id, let want, let isPatient):
            let url = want.url
            opened.append(url)
            wants.append(want)
            patience.append(isPatient)
            switch serve(want) {
            case .bytes(let bytes, let place):
                files[id] = bytes
                return try channel.send(
                    .source(id: id, url: place ?? url, length: Int64(bytes.count), seekable: true, error: ""))
            case .failure(let why):
                return try channel.send(.source(id: id, url: url, length: -1, seekable: false, error: why))
            case nil: break
            }
            let path = url.hasPrefix("file://") ? String(url.dropFirst(7)) : url
            if let data = FileManager.default.contents(atPath: path) {
                files[id] = Array(data)
                let length = hidesLength ? -1 : Int64(data.count)
                try channel.send(.source(id: id, url: url, length: length, seekable: isSeekable, error: ""))
            } else {
                try channel.send(
                    .source(id: id, url: url, length: -1, seekable: false, error: "no such file"))
            }
        case .read(let id, let offset, let count, _):
            if delaysReads { delayedReads.append((id, offset, count)) } else { try answer(id, offset, count) }
        case .closeURL(let id): files[id] = nil
        case .cue(let serial, let start, let end, let text): cues.append((serial, start, end, text))
        case .expect(let want): expected.append(want)
        case .variant(let index, let why): variants.append((index, why))
        case .opened(let info):
            order.append("opened")
            self.info = info
            playback.expectsPictures = info.streams.contains { $0.kind == .video && $0.isChosen }
        case .seekable: order.append("seekable")
        case .picture(let header):
            order.append("picture")
            pictures.append((header, pixels(of: header)))
            if releasesAtOnce || header.serial < sought { return try channel.send(.release(slots: [header.slot])) }
            let isReleased = releases && header.mediaTime < releasesUntil
            if !isReleased { held.pictures.append(header) }
            playback.add(picture: header, isReleased: isReleased)
        case .still(let id, let header):
            stills.append((id, header, pixels(of: header)))
            try channel.send(.release(slots: [header.slot]))
        case .noStill(let id, let code, let why): noStills.append((id, code, why))
        case .sound(let serial, let pts, let mediaTime, let samples):
            order.append("sound")
            sounds.append((serial, pts, mediaTime, samples))
            let frames = UInt32(samples.count / 2)
            if grants { playback.add(frames: frames, at: pts) } else { held.frames += frames }
        case .buffered(_, let time):
            bufferedCount += 1
            bufferedUntil = time
        case .through(let serial):
            order.append("through")
            through.append(serial)
            playback.expectsPictures = false
        case .begins(let serial, let time): begins.append((serial, time))
        case .loudness(let loudness): loudnesses.append(loudness)
        case .muxed(let container, let offset, let bytes):
            muxed.container = container
            muxed.pieces += 1
            let end = min(Int(offset) + bytes.count, muxed.bytes.count)
            muxed.bytes.replaceSubrange(Int(offset)..<max(Int(offset), end), with: bytes)
        case .ended(let serial): ended.append(serial)
        case .failed(let code, let why, let advice, let detail):
            failure = (code, why)
            self.advice = advice
            failureDetail = detail
        }
    }

    private func pixels(of header: PictureHeader) -> [UInt32] {
        let pixels = ring.pixels(of: header.slot)
        let (width, height, stride) = (Int(header.width), Int(header.height), Int(header.stride))
        return [UInt32](unsafeUninitializedCapacity: width * height) { room, count in
            // A plain loop: closures for each pixel took two fifths of the time of all these tests.
            var (row, column, place) = (0, 0, 0)
            while row < height {
                room[place] = pixels[row * stride + column] & 0xFF_FFFF
                (place, column) = (place + 1, column + 1)
                if column == width { (row, column) = (row + 1, 0) }
            }
            count = width * height
        }
    }

    func answer(_ id: UInt32, _ offset: Int64, _ count: UInt32) throws {
        if offset >= failsReadsFrom {
            failedReads += 1
            return try channel.send(.data(id: id, offset: offset, bytes: [], error: "the disk is gone"))
        }
        let file = files[id] ?? []
        let from = min(Int(offset), file.count)
        let bytes = Array(file[from..<min(from + Int(count), file.count)])
        served += bytes.count
        if bytes.isEmpty, reportsLengthAtEnd {
            try channel.send(.source(id: id, url: "", length: Int64(file.count), seekable: true, error: ""))
        }
        try channel.send(.data(id: id, offset: offset, bytes: bytes, error: ""))
    }

    /// Resources that the decoder has open.
    var openFiles: Int { files.count }

    /// Closes the channel. Returns whether the session ended within ten seconds.
    func close() -> Bool {
        channel.shutDown()
        return done.wait(timeout: .now() + 10) == .success
    }
}
