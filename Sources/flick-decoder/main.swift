import CSandbox
import Media
import Platform
import Wire

// Nothing may come before this: the nursery must have one thread.
DecoderSide.serve(confine: flick_confine) { channel, ring, confinement in
    DecoderSession(channel: channel, ring: ring, confinement: confinement).run()
}
let complaint = Array("flick: cannot run flick-decoder by itself; run flick\n".utf8)
// If even standard error is closed, nothing can be reported.
_ = write(2, complaint, complaint.count)
exit(2)
