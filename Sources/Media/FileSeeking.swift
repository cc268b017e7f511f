internal import CFFmpeg
import Wire

/// Seeking in a file.
extension FileDemuxer {
    func seek(to time: Microseconds) -> Bool {
        forgetAhead()
        forgetFailure()
        noteRandomAccess()
        // What is skipped is not read, so it must not count towards the rate.
        position = nil
        if countsPictures { return rewind() }
        let part = jumps.part(at: time)
        jumps.restart(inPart: part)
        if jumps.goesBack, container.mayBreak { return seek(to: time, inPart: part) }
        let stamp = time - jumps.parts[part].correction
        return findsKeys ? seekByIndex(to: stamp) : seekByReading(to: stamp)
    }

    func seekSound(to time: Microseconds) -> Bool {
        guard let sound = container.audio?.pointee, findsKeys, !countsPictures, !jumps.goesBack else { return false }
        forgetAhead()
        forgetFailure()
        position = nil
        let part = jumps.part(at: time)
        jumps.restart(inPart: part)
        return seekLibav(to: time - jumps.parts[part].correction, in: sound)
    }

    /// Stamps do not identify a place, as several parts have the same. Reading begins where the part does, or well
    /// before the time in a long one.
    private func seek(to time: Microseconds, inPart index: Int) -> Bool {
        let parts = jumps.parts
        guard container.name != "ogg", index < parts.count, parts[index].offset > 0 || index == 0 else {
            // A song in an Ogg stream begins with headers, which are not among its packets.
            jumps.restart(inPart: 0)
            // libav reads from song to song, but cannot return to an earlier one.
            return container.name == "ogg" && container.streams.count == 1 ? reopen() : rewind()
        }
        var offset = parts[index].offset
        if index > 0, index + 1 < parts.count {
            let (length, bytes) = (parts[index + 1].start - parts[index].start, parts[index + 1].offset - offset)
            let place = time - parts[index].start - FileDemuxer.margin
            if place > 0, length > 0, bytes > 0 { offset += Int64(Double(bytes) * Double(place) / Double(length)) }
        }
        return av_seek_frame(container.format, -1, offset, AVSEEK_FLAG_BYTE) >= 0
    }
    /// How long before a time reading begins where only its place between two others is known.
    private static let margin: Microseconds = 20_000_000

    /// An interrupted read leaves the context in an error state.
    private func forgetFailure() {
        guard let io = container.format.pointee.pb else { return }
        io.pointee.error = 0
        io.pointee.eof_reached = 0
    }

    /// Whether libav finds key pictures. In MPEG's transport and program streams it only finds times: it takes every
    /// picture for a key picture.
    private var findsKeys: Bool { video == nil || container.name != "mpegts" && container.name != "mpeg" }

    // MARK: By libav's index

    private func seekByIndex(to time: Microseconds) -> Bool {
        let format = container.format
        guard let stream = (container.video ?? container.audio)?.pointee else { return false }
        // Sound that begins before the first picture is not found by pictures.
        let begin = MediaTime.microseconds(stream.start_time, of: stream.time_base)
        if let sound = container.audio?.pointee, video != nil, let begin, time < begin, seekLibav(to: time, in: sound) {
            return true
        }
        if seekLibav(to: time, in: stream) { return true }
        if client.isInterrupted { return false }
        // Some demuxers refuse to seek before the first packet, and many files
        // begin at 1.4 s. Such a clip could not loop.
        let begins = [MediaTime.microseconds(stream.start_time, of: stream.time_base), firstStamp]
        for later in begins.compactMap(\.self).filter({ $0 > time }).sorted() {
            // Plus one, so that rounding does not move it before the packet.
            if seekLibav(to: later, in: stream, plus: 1) { return true }
            if client.isInterrupted { return false }
        }
        // There is nothing before the first key frame, so seek to that.
        let place = av_rescale_q(time, flick_microseconds(), stream.time_base)
        return avformat_seek_file(format, stream.index, Int64.min, place, Int64.max, 0) >= 0
    }

    private func seekLibav(to time: Microseconds, in stream: AVStream, plus: Int64 = 0) -> Bool {
        let place = av_rescale_q(time, flick_microseconds(), stream.time_base)
        return av_seek_frame(container.format, stream.index, place + plus, AVSEEK_FLAG_BACKWARD) >= 0
    }

    // MARK: By reading

    /// The first step back from the time that is wanted. Each further one is twice as long.
    private static let firstStep: Microseconds = 1_000_000
    /// Pictures without a key for this long use gradual refresh: the decoder can begin anywhere.
    private static let longestDistance: Microseconds = 60_000_000

    /// Reads from ever earlier places on until a key picture at or before
    /// `time` is found. The packets from there on are kept.
    private func seekByReading(to time: Microseconds) -> Bool {
        guard let stream = container.video?.pointee else { return false }
        let begin = MediaTime.microseconds(stream.start_time, of: stream.time_base) ?? firstStamp ?? 0
        var step = FileDemuxer.firstStep
        // Later packets were examined already.
        var limit = time
        while true {
            let place = time - min(step, FileDemuxer.longestDistance)
            let isWhole = place <= begin
            guard isWhole ? rewind() : seekLibav(to: place, in: stream) else { return rewind() }
            var search = KeySearch(time: time, limit: limit)
            let result = read(&search)
            ahead = search.takePackets()
            switch result {
            case .found: return true
            case .interrupted:
                forgetAhead()
                return false
            case .missed(let first):
                forgetAhead()
                if isWhole { return rewind() }
                if step >= FileDemuxer.longestDistance {
                    forgetFailure()
                    return seekLibav(to: time - FileDemuxer.firstStep, in: stream)
                }
                limit = min(limit, first ?? limit)
            }
            forgetFailure()
            step *= 2
        }
    }

    private enum Found {
        case found
        /// There is no key picture; where the first picture was.
        case missed(first: Microseconds?)
        case interrupted
    }

    /// Reads until `search` has seen enough.
    private func read(_ search: inout KeySearch) -> Found {
        while !search.isOver {
            guard let packet = av_packet_alloc() else { break }
            let code = container.read(packet)
            var unused = packet
            guard code >= 0 else {
                freePacket(&unused)
                if client.isInterrupted { return .interrupted }
                break
            }
            guard let format = format(of: packet) else {
                freePacket(&unused)
                continue
            }
            search.add(packet, format)
        }
        return search.hasKey ? .found : .missed(first: search.first)
    }

    /// Goes to the first byte: the file's first packet may have no stamp to be found by.
    private func rewind() -> Bool {
        av_seek_frame(container.format, -1, 0, AVSEEK_FLAG_BYTE) >= 0
    }
}
