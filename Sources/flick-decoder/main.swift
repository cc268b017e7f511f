import Media
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Descriptors 3 and 4 are the channel and the ring; without them there is nobody to decode for.
guard fcntl(3, F_GETFD) >= 0, fcntl(4, F_GETFD) >= 0, let (channel, ring) = try? DecoderSide.connect() else {
    let complaint = Array("flick-decoder is started by flick\n".utf8)
    // Where even standard error is closed nobody can see it.
    _ = write(2, complaint, complaint.count)
    exit(2)
}
DecoderSession(channel: channel, ring: ring).run()
exit(0)
