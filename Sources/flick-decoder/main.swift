import CSandbox
import Media
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// Goes on in each decoder that is asked for, and not in the nursery, which must have one thread: nothing may come before this.
// An error means that nobody passed it a channel and memory, whatever it says.
guard let (channel, ring) = try? DecoderSide.connect() else {
    let complaint = Array("flick-decoder is started by flick\n".utf8)
    // Where even standard error is closed nobody can see it.
    _ = write(2, complaint, complaint.count)
    exit(2)
}
// Every library is loaded, and nothing of a clip has come yet.
let confinement = Confinement(rawValue: UInt8(truncatingIfNeeded: flick_confine()))
DecoderSession(channel: channel, ring: ring, confinement: confinement).run()
exit(0)
