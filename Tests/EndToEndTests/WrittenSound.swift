import Foundation

/// What a sound device received: 16 bit, two channels, 48 kHz.
struct WrittenSound {
    /// The left channel, -1…1.
    let samples: [Float]

    init(path: String) {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        samples = bytes.withUnsafeBytes { raw in
            stride(from: 0, to: raw.count - 3, by: 4).map {
                Float(Int16(littleEndian: raw.loadUnaligned(fromByteOffset: $0, as: Int16.self))) / 32_768
            }
        }
    }

    /// How many frames were written so far; 0 before the file exists.
    static func frames(at path: String) -> Int {
        var info = stat()
        return stat(path, &info) == 0 ? Int(info.st_size) / 4 : 0
    }

    /// 10 ms contain whole periods of every tone that is a multiple of 100 Hz, so that tones do not disturb each
    /// other's measurement.
    static let window = 480
    var windows: Int { samples.count / Self.window }

    /// The amplitude of a tone in every window, 0…1.
    func loudness(of hertz: Int) -> [Float] {
        (0..<windows).map { loudness(of: hertz, in: $0 * Self.window..<($0 + 1) * Self.window) }
    }

    /// The amplitude of a tone in some samples, 0…1 (Goertzel's algorithm).
    func loudness(of hertz: Int, in range: Range<Int>) -> Float {
        let turn = 2 * cos(2 * Float.pi * Float(hertz) / 48_000)
        return samples.withUnsafeBufferPointer { samples in
            var (last, before): (Float, Float) = (0, 0)
            for index in range { (last, before) = (samples[index] + turn * last - before, last) }
            let power = last * last + before * before - turn * last * before
            return max(power, 0).squareRoot() * 2 / Float(range.count)
        }
    }

    /// The peak of every window.
    func peaks() -> [Float] {
        samples.withUnsafeBufferPointer { samples in
            (0..<windows).map { window in
                (window * Self.window..<(window + 1) * Self.window).reduce(0) { max($0, abs(samples[$1])) }
            }
        }
    }
}
