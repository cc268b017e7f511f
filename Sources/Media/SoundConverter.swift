internal import CFFmpeg
import Wire

/// Converts decoded sound to 48 kHz stereo. Samples beyond full scale (1) are not clipped here.
final class SoundConverter {
    private var converter: OpaquePointer?
    private var shape: [CInt] = []

    deinit { swr_free(&converter) }

    /// Drops the samples that the resampler still has from earlier sound.
    func reset() {
        swr_free(&converter)
        shape = []
    }

    /// The converted samples of `frame`, left and right interleaved; with nil, the samples left in the resampler.
    func convert(_ frame: UnsafeMutablePointer<AVFrame>?) throws(MediaError) -> [Float] {
        if let frame {
            let now = [frame.pointee.format, frame.pointee.sample_rate, frame.pointee.ch_layout.nb_channels]
            guard now[1] > 0, now[2] > 0, now[2] <= 64 else { return [] }
            if now != shape {
                swr_free(&converter)
                let code = flick_open_resampler(&converter, frame)
                guard code >= 0 else { throw MediaError(.undecodable, "its audio cannot be resampled", because: code) }
                shape = now
            }
        }
        guard let converter else { return [] }
        let room = swr_get_out_samples(converter, frame?.pointee.nb_samples ?? 0)
        guard room > 0, room < 10_000_000 else { return [] }
        var failure: CInt = 0
        let samples = [Float](unsafeUninitializedCapacity: Int(room) * 2) { buffer, filled in
            var out: UnsafeMutablePointer<UInt8>? = UnsafeMutableRawPointer(buffer.baseAddress)?
                .assumingMemoryBound(to: UInt8.self)
            let input = frame?.pointee.extended_data
            let count =
                input.map { input in
                    input.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: Int(shape[2])) {
                        swr_convert(converter, &out, room, $0, frame?.pointee.nb_samples ?? 0)
                    }
                } ?? swr_convert(converter, &out, room, nil, 0)
            failure = min(0, count)
            filled = Int(max(0, count)) * 2
        }
        guard failure >= 0 else { throw MediaError(.undecodable, "its audio cannot be resampled", because: failure) }
        return samples
    }
}
