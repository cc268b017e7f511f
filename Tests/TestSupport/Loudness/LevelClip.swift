import Foundation

/// A synthetic sound of a known loudness: 32-bit float samples, which may exceed full scale.
public struct LevelClip: Sendable {
    /// Also the names of the files.
    public enum Kind: String, CaseIterable, Sendable {
        case tone, noise, speech, music, voiceOverNoise

        /// FFmpeg's source of it, of any loudness. All have sound from the first tenth of a second on.
        fileprivate var graph: String {
            switch self {
            case .tone: "sine=440:r=48000:d=6"
            case .noise: "anoisesrc=c=pink:r=48000:d=6:seed=3"
            // Syllables: four a second, with a pause after every fifth.
            case .speech:
                "anoisesrc=c=pink:r=48000:d=6:seed=5,bandpass=f=900:width_type=o:w=3,"
                    + "volume='if(lt(mod(t,1.5),1.25),0.05+pow(abs(sin(4*PI*(t+0.05))),1.5),0.003)':eval=frame"
            // A chord that swells, with a beat.
            case .music:
                "aevalsrc='(0.2*sin(2*PI*220*t)+0.15*sin(2*PI*277*t)+0.15*sin(2*PI*330*t))*(0.8+0.2*sin(PI*t))"
                    + "+0.6*sin(2*PI*60*t)*exp(-12*mod(t,0.5))':s=48000:d=6"
            case .voiceOverNoise:
                "aevalsrc='0.02*(2*random(0)-1)+0.3*sin(2*PI*180*t)*(0.6+0.4*sin(2*PI*3*t))':s=48000:d=6"
            }
        }
    }

    public var path: String
    /// In LUFS, of all of it, as FFmpeg measures it.
    public var loudness: Double

    /// In LUFS.
    public static let levels = [-35.0, -31, -27, -23, -19, -15, -11, -8]

    /// One of each kind at each of `levels`, made in `folder` unless they are there.
    public static func all(in folder: String, levels: [Double] = levels) throws -> [LevelClip] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return try Kind.allCases.flatMap { kind in
            let source = "\(folder)/\(kind.rawValue).wav"
            try ffmpeg(["-f", "lavfi", "-i", kind.graph, "-ac", "2", "-c:a", "pcm_f32le", source])
            let measured = try MeasuredSound(file: source).loudness
            return try levels.map { level in
                let path = "\(folder)/\(kind.rawValue)\(Int(level)).wav"
                try ffmpeg(["-i", source, "-af", "volume=\(level - measured)dB", "-c:a", "pcm_f32le", path])
                return LevelClip(path: path, loudness: level)
            }
        }
    }

    /// The energy of its first frames: the mean square of the samples.
    public func energy(ofFirst frames: Int) throws -> Double {
        let raw = FileManager.default.temporaryDirectory.appendingPathComponent("flick-\(UUID().uuidString).raw").path
        defer { unlink(raw) }
        try LevelClip.ffmpeg(["-i", path, "-f", "f32le", raw])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: raw))
        return bytes.withUnsafeBytes { bytes in
            let samples = bytes.bindMemory(to: Float.self).prefix(frames * 2)
            return samples.reduce(0) { $0 + Double($1 * $1) } / Double(samples.count)
        }
    }

    /// Runs ffmpeg, whose output is the last argument, unless that file exists.
    public static func ffmpeg(_ arguments: [String]) throws {
        guard let path = arguments.last, !FileManager.default.fileExists(atPath: path) else { return }
        // Its own name, as tests that run at once make the same files.
        let part = "\(path).\(UUID().uuidString).\((path as NSString).pathExtension)"
        let result = try Command.run(["ffmpeg", "-v", "error", "-nostdin", "-y"] + arguments.dropLast() + [part])
        guard result.status == 0, rename(part, path) == 0 else {
            throw Command.Error(description: "ffmpeg could not make \(path): \(result.errors)")
        }
    }
}

/// How loud a sound is, as FFmpeg's `ebur128` measures it.
public struct MeasuredSound: Sendable {
    /// In LUFS.
    public var loudness: Double
    /// In dBTP.
    public var peak: Double

    public init(file: String) throws { try self.init(input: ["-i", file]) }

    /// - Parameter samples: 48 kHz stereo.
    public init(samples: ArraySlice<Int16>) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("flick-\(UUID().uuidString).raw").path
        defer { unlink(path) }
        try samples.withUnsafeBytes { Data($0) }.write(to: URL(fileURLWithPath: path))
        try self.init(input: ["-f", "s16le", "-ar", "48000", "-ac", "2", "-i", path])
    }

    private init(input: [String]) throws {
        let filter = ["-af", "ebur128=peak=true:framelog=verbose", "-f", "null", "-"]
        let result = try Command.run(["ffmpeg", "-hide_banner", "-nostats", "-nostdin"] + input + filter)
        func number(after name: String) throws -> Double {
            let lines = result.errors.split(separator: "\n").filter { $0.contains(name) }
            let words = lines.last?.split(separator: " ").map(String.init) ?? []
            guard words.count > 1, let number = Double(words[1]) else {
                throw Command.Error(description: "ffmpeg measured nothing: \(result.errors)")
            }
            return number
        }
        (loudness, peak) = (try number(after: " I: "), try number(after: " Peak: "))
    }
}
