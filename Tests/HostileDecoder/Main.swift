import Foundation
import TestSupport
import Wire

/// A decoder in the hands of the file's author, in the place of flick-decoder: the clip's name says what it does, the number of a `Misdeed`. Of any other
/// name it plays a still picture as an honest decoder does.
@main
enum HostileProgram {
    static func main() throws {
        let (channel, ring) = try DecoderSide.connect()
        let hand = HostileHand(channel: channel, ring: ring)
        try hand.greet()
        let name = URL(string: hand.url)?.deletingPathExtension().lastPathComponent ?? ""
        if let number = Int(name), Misdeed.all.indices.contains(number) {
            try Misdeed.all[number].deed(hand)
        } else {
            try hand.open()
            try hand.play()
        }
    }
}
