import Foundation
import Synchronization
import Wire

/// A decoder that is a thread of this process, needs no files, and misbehaves on demand. It passes the contract that
/// flick-decoder passes.
public struct ScriptedDecoder: Sendable {
    public enum Fault: Sendable, Equatable {
        /// Closes its channel.
        case dies
        /// Sends nothing more, but continues to read.
        case hangs
        /// Sends bytes that are no message.
        case garbage
        /// Sends a picture in a slot that is not its own any more.
        case takenSlot
        /// Sends a picture in a slot that does not exist.
        case noSlot
        /// From then on sends a picture of a seek that was not requested before each proper one.
        case staleSerial
        /// From then on sends sound of a seek that was not requested before each proper piece: every sample is
        /// `staleSample`.
        case staleSound
        /// Says that the bytes are no media.
        case findsNoMedia
        /// Reports for a seek that was not requested that everything is buffered.
        case staleBuffered
        /// Sends a second of sound more than it may.
        case tooMuchSound
        /// Sends no more pictures, while its sound continues to the end.
        case losesPictures
    }

    /// All times in microseconds.
    public var duration: Microseconds = 4_000_000
    public var picture: Microseconds = 40_000
    /// The number of damaged pictures at the beginning, and after each seek.
    public var damaged = 0
    /// Where the first picture is, if after the first sound.
    public var firstPicture: Microseconds = 0
    /// Where the pictures end, if before the sound.
    public var picturesEnd: Microseconds?
    public var hasVideo = true
    public var hasAudio = true
    public var isSeekable = true
    /// The clip is a file with this many bytes a picture, which is read as pictures are needed; nil: it reads no bytes.
    public var bytesPerPicture: Int?
    /// What it reads them as.
    public var role = WireByteRole.media
    public var soundTracks: [MediaInfo.Track] = []
    /// What its one text track says, all of it at once; none: it has no text.
    public var cues: [(start: Microseconds, end: Microseconds, text: String)] = []
    public var chapters: [MediaInfo.Chapter] = []
    /// What it says it is.
    public var container = "script"
    /// What it answers when it is to mux.
    public var muxed: [FromDecoder] = []
    /// The samples of the sound at a time of the clip.
    public var sample: @Sendable (Microseconds) -> Int16 = { _ in 1_000 }
    /// What comes of the stills that are asked of it, by URL.
    public enum StillAnswer: Sendable {
        /// Every pixel has this value.
        case pixels(UInt32)
        case none(String)
        case damaged(UInt32)
        /// Nothing comes.
        case silence
        /// Closes its channel.
        case end
        /// A picture that was not requested.
        case another
    }
    public var still: @Sendable (String, Microseconds) -> StillAnswer = { _, time in .pixels(UInt32(time)) }
    /// How loud it reports its sound to be, in hundredths of LUFS.
    public static let loudness: Int32 = -2_310
    /// What `Fault.staleSound` sounds like.
    public static let staleSample: Int16 = 7_777
    /// Called with each order that the decoder reads, on its thread.
    public var hears: (@Sendable (ToDecoder) -> Void)?
    /// Happens after this many pictures (without video: pieces of sound).
    public var fault: (fault: Fault, after: Int)?

    public init(fault: Fault? = nil, after: Int = 0) {
        self.fault = fault.map { ($0, after) }
    }

    /// The progress of a decoder, for tests that must know when it has nothing more to send. From any thread.
    public final class Progress: Sendable {
        private let state = Mutex((handled: 0, sent: 0, isOver: false))

        public init() {}

        /// The orders that it has done all about that there is to do at once.
        public var handled: Int { state.withLock(\.handled) }
        /// The messages that it has sent, or is about to send.
        public var sent: Int { state.withLock(\.sent) }
        /// Its thread has ended.
        public var isOver: Bool { state.withLock(\.isOver) }

        fileprivate func noteHandled() { state.withLock { $0.handled += 1 } }
        fileprivate func noteSent() { state.withLock { $0.sent += 1 } }
        fileprivate func noteEnd() { state.withLock { $0.isOver = true } }
    }

    /// Starts the thread. It ends with its channel.
    public func start() throws -> DecoderProcess { try start(progress: Progress()) }

    public func start(progress: Progress) throws -> DecoderProcess {
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
            throw WireError.system(call: "socketpair", code: errno)
        }
        let ring = try PictureRing()
        let theirs = OwnerChannel(descriptor: pair[1])
        let theirRing = try PictureRing(descriptor: dup(ring.descriptor))
        let process = DecoderProcess(channel: DecoderChannel(descriptor: pair[0]), ring: ring)
        let script = self
        Thread.detachNewThread {
            var session = Session(script: script, channel: theirs, ring: theirRing, progress: progress)
            // It ends when flick is through with it, or by its fault.
            try? session.run()
            progress.noteEnd()
            theirs.shutDown()
        }
        return process
    }

    /// Decoders in turn; the last for ever. Calls `started` with each.
    public static func inTurn(
        _ scripts: [ScriptedDecoder], started: @escaping @Sendable (DecoderProcess, Progress) -> Void = { _, _ in }
    ) -> @Sendable () throws -> DecoderProcess {
        let next = Mutex(0)
        return {
            let index = next.withLock { next in
                defer { next += 1 }
                return min(next, scripts.count - 1)
            }
            let progress = Progress()
            let process = try scripts[index].start(progress: progress)
            started(process, progress)
            return process
        }
    }
}

private struct Session {
    let script: ScriptedDecoder
    let channel: OwnerChannel
    let ring: PictureRing
    let progress: ScriptedDecoder.Progress
    var isOpen = false
    var isSilent = false
    var isFaulty: Bool
    var loops = false
    var saysText = false
    var wantsSound = true
    var serial: UInt32 = 0
    var generation: UInt32 = 0
    var size: (width: UInt32, height: UInt32)?
    var free = Array(0..<PictureRing.slots)
    var lastSlot: UInt32 = 0
    var credit = 0
    var rate = 1_000
    /// The next picture and the next sound, on the timeline.
    var pictureTime: Microseconds = 0
    var soundTime: Microseconds = 0
    var hasEnded = false
    var hasSaidThrough = false
    /// Damaged pictures that are still to be sent.
    var damaged = 0
    /// How much of the file has been read without a gap, and the read that is under way.
    var readTo: Int64 = 0
    var isReading = false
    var sent = 0
    /// How many pictures are sent before the fault.
    var faultAt: Int

    init(
        script: ScriptedDecoder, channel: OwnerChannel, ring: PictureRing, progress: ScriptedDecoder.Progress
    ) {
        self.progress = progress
        self.script = script
        self.channel = channel
        self.ring = ring
        isFaulty = script.fault != nil
        faultAt = script.fault?.after ?? 0
    }

    private struct Over: Error {}

    mutating func run() throws {
        try send(.hello(version: WireLimit.version))
        while true {
            try handle(channel.receive())
            while !isSilent, isOpen, try produce() {}
            progress.noteHandled()
        }
    }

    private func send(_ message: FromDecoder) throws {
        progress.noteSent()
        try channel.send(message)
    }

    private mutating func handle(_ order: ToDecoder) throws {
        script.hears?(order)
        switch order {
        case .open(let url, let start, let loop, let sound):
            (loops, wantsSound) = (loop, sound)
            go(to: start)
            try send(.begins(serial: 0, at: soundTime))
            if script.bytesPerPicture != nil {
                try send(.openURL(id: 1, want: ByteWant(url: url, role: script.role)))
            } else {
                isOpen = true
                try send(.opened(info))
            }
        case .source(_, _, _, _, let error):
            guard try !fails(error) else { return }
            isOpen = true
            try send(.opened(info))
            try readOn()
        case .data(_, let offset, let bytes, let error):
            guard offset == readTo, try !fails(error) else { return }
            isReading = false
            readTo += Int64(bytes.count)
            try send(
                .buffered(serial: serial, until: readTo / Int64(script.bytesPerPicture ?? 1) * script.picture))
            try readOn()
        case .surface(let request):
            generation = request.generation
            size = (request.width, request.height)
        case .rate(let thousandths): rate = Int(thousandths)
        case .seek(let serial, let time, let mode):
            self.serial = serial
            let index = time / script.picture
            switch mode {
            case .exact: go(to: time)
            case .key: go(to: time / 1_000_000 * 1_000_000)
            case .before: go(to: max(0, index - 1) * script.picture)
            case .after: go(to: min((index + 1) * script.picture, script.duration - script.picture))
            }
            try send(.begins(serial: serial, at: soundTime))
            if saysText {
                for cue in script.cues {
                    try send(.cue(serial: serial, start: cue.start, end: cue.end, text: cue.text))
                }
            }
            try readOn()
        case .loop(let on): loops = on
        case .sound(let on): wantsSound = on
        case .release(let slots): free += slots
        case .credit(let frames): credit += Int(frames)
        case .still(let id, let url, let time): try sendStill(id, script.still(url, time), time)
        case .loudness(let target):
            try send(
                .loudness(
                    SoundLoudness(
                        loudness: ScriptedDecoder.loudness, gain: target - ScriptedDecoder.loudness, origin: .partial)))
        case .close, .link, .warm, .watched, .soundLanguages, .soundTrack, .variant: break
        case .textTrack(let track): saysText = track != nil
        case .mux: for message in script.muxed { try send(message) }
        }
    }

    private mutating func sendStill(_ id: UInt32, _ answer: ScriptedDecoder.StillAnswer, _ time: Microseconds) throws {
        let size = size ?? (2, 2)
        func picture(_ id: UInt32, _ value: UInt32, isCorrupt: Bool = false) throws {
            let slot = free.removeFirst()
            ring.pixels(of: slot).update(repeating: value, count: Int(size.width * size.height))
            try send(
                .still(
                    id: id,
                    PictureHeader(
                        slot: slot, serial: 0, generation: generation, pts: time, mediaTime: time, duration: 0,
                        width: size.width, height: size.height, stride: size.width, isCorrupt: isCorrupt)))
        }
        switch answer {
        case .pixels(let value): try picture(id, value)
        case .damaged(let value): try picture(id, value, isCorrupt: true)
        case .another: try picture(id &+ 7, 0)
        case .none(let why): try send(.noStill(id: id, code: .notMedia, why: why))
        case .silence: break
        case .end: throw Over()
        }
    }

    private var info: MediaInfo {
        var streams: [MediaInfo.Stream] = []
        if script.hasVideo { streams.append(.init(index: 0, kind: .video, codec: "script", isChosen: true)) }
        if script.hasAudio { streams.append(.init(index: 1, kind: .audio, codec: "script", isChosen: true)) }
        let (width, height): (UInt32, UInt32) = script.hasVideo ? (64, 48) : (0, 0)
        var info = MediaInfo(
            container: script.container, duration: script.duration, isSeekable: script.isSeekable, streams: streams,
            displayWidth: width, displayHeight: height)
        info.chapters = script.chapters
        info.soundTracks = script.soundTracks
        info.textTracks = script.cues.isEmpty ? [] : [.init(language: "de")]
        return info
    }

    private mutating func go(to time: Microseconds) {
        let time = min(max(time, 0), script.duration - script.picture)
        pictureTime = max(script.firstPicture, time / script.picture * script.picture)
        soundTime = time
        hasEnded = false
        hasSaidThrough = false
        damaged = script.damaged
        isReading = false
        readTo = time / script.picture * Int64(script.bytesPerPicture ?? 0)
    }

    /// Asks for the file's next half second, unless it has five seconds in hand.
    private mutating func readOn() throws {
        guard let size = script.bytesPerPicture, isOpen, !isReading else { return }
        let total = script.duration / script.picture * Int64(size)
        let ahead = readTo / Int64(size) * script.picture - pictureTime
        guard readTo < total, ahead < 5_000_000 else { return }
        isReading = true
        let count = min(Int64(500_000 / script.picture) * Int64(size), total - readTo)
        try send(.read(id: 1, offset: readTo, count: UInt32(count)))
    }

    /// Fails the clip if there was an error.
    private mutating func fails(_ error: String) throws -> Bool {
        guard !error.isEmpty else { return false }
        isSilent = true
        try send(.failed(code: .unreadable, why: error))
        return true
    }

    /// Whether what is shown or heard at `time` has been read.
    private func hasBytes(at time: Microseconds) -> Bool {
        guard let size = script.bytesPerPicture else { return true }
        return (time % script.duration / script.picture + 1) * Int64(size) <= readTo
    }

    /// Sends the next message; false if it must wait for one first.
    private mutating func produce() throws -> Bool {
        if isFaulty, let fault = script.fault, sent >= faultAt {
            isFaulty = fault.fault == .losesPictures || fault.fault == .staleSound
            if !isFaulty {
                try commit(fault.fault)
                return !isSilent
            }
        }
        let losesPictures = script.fault?.fault == .losesPictures && isFaulty && sent >= (script.fault?.after ?? 0)
        let lastPicture = script.picturesEnd ?? script.duration
        if script.hasVideo, let size, !free.isEmpty, loops || pictureTime < lastPicture, !losesPictures,
            hasBytes(at: pictureTime)
        {
            lastSlot = free.removeFirst()
            try send(slot: lastSlot, serial: serial, size: size)
            pictureTime += script.picture
            sent += 1
            try readOn()
            return true
        }
        if script.hasVideo, !loops, !hasSaidThrough, pictureTime >= lastPicture {
            hasSaidThrough = true
            try send(.through(serial: serial))
        }
        if script.hasAudio, wantsSound, credit > 0, loops || soundTime < script.duration, hasBytes(at: soundTime) {
            if script.fault?.fault == .staleSound, isFaulty, sent >= faultAt { try sendStaleSound() }
            try sendSound(frames: min(credit, 960))
            if !script.hasVideo { sent += 1 }
            return true
        }
        let picturesAreOut = !script.hasVideo || pictureTime >= lastPicture || losesPictures
        let soundIsOut = !script.hasAudio || !wantsSound || soundTime >= script.duration
        if !loops, !hasEnded, picturesAreOut, soundIsOut {
            hasEnded = true
            try send(.ended(serial: serial))
        }
        return false
    }

    private mutating func send(slot: UInt32, serial: UInt32, size: (width: UInt32, height: UInt32)) throws {
        let mediaTime = pictureTime % script.duration
        if slot < PictureRing.slots {
            ring.pixels(of: slot).update(
                repeating: UInt32(mediaTime / script.picture), count: Int(size.width * size.height))
        }
        try send(
            .picture(
                PictureHeader(
                    slot: slot, serial: serial, generation: generation, pts: pictureTime, mediaTime: mediaTime,
                    duration: script.picture, width: size.width, height: size.height, stride: size.width,
                    isKey: mediaTime % 1_000_000 == 0, isCorrupt: damaged > 0)))
        damaged -= 1
    }

    private mutating func sendSound(frames: Int) throws {
        try send(
            .sound(
                serial: serial, pts: soundTime, mediaTime: soundTime % script.duration,
                samples: Array(repeating: script.sample(soundTime % script.duration), count: frames * 2)))
        credit -= frames
        soundTime += Microseconds(frames * 1_000 / 48 * rate / 1_000)
    }

    private mutating func sendStaleSound() throws {
        let frames = min(credit - 1, 480)
        guard frames > 0 else { return }
        try send(
            .sound(
                serial: serial &+ 7, pts: soundTime, mediaTime: soundTime % script.duration,
                samples: Array(repeating: ScriptedDecoder.staleSample, count: frames * 2)))
        credit -= frames
    }

    private mutating func commit(_ fault: ScriptedDecoder.Fault) throws {
        let size = size ?? (2, 2)
        switch fault {
        case .dies: throw Over()
        case .hangs: isSilent = true
        case .garbage:
            _ = try channel.write(Array(repeating: 0xA5, count: 64)[...], waits: true)
            isSilent = true
        case .takenSlot:
            // The one that flick will give back last.
            try send(slot: lastSlot, serial: serial, size: size)
        case .noSlot: try send(slot: PictureRing.slots, serial: serial, size: size)
        case .staleSerial:
            if !free.isEmpty { try send(slot: free.removeFirst(), serial: serial &+ 7, size: size) }
            (isFaulty, faultAt) = (true, sent + 1)
        case .findsNoMedia:
            isSilent = true
            try send(.failed(code: .notMedia, why: "no media"))
        case .staleBuffered: try send(.buffered(serial: serial &+ 7, until: script.duration))
        case .tooMuchSound: for _ in 0..<(max(0, credit) + 48_000) / 960 { try sendSound(frames: 960) }
        case .losesPictures, .staleSound: break
        }
    }
}
