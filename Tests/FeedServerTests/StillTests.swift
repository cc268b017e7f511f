import Bytes
import Foundation
import Model
import TestSupport
import Testing
import Threads

@testable import FeedServer

/// Stills that the server makes, by the real flick-decoder and by hostile ones.
@Suite struct MadeStillTests {
    static func program(_ name: String) -> String {
        URL(fileURLWithPath: FlickBinary.path).deletingLastPathComponent().appendingPathComponent(name).path
    }

    /// A server that makes stills of these clips.
    private func served(
        _ files: [String: [UInt8]], decoder: String? = program("flick-decoder"),
        folder: TemporaryFolder = TemporaryFolder(), _ change: (inout ServerOptions) -> Void = { _ in }
    ) async throws -> ServedFolder {
        let state = TemporaryFolder()
        let served = try await ServedFolder(files, folder: folder, state: state) {
            $0.stills = StillOptions(decoder: decoder, folder: state.path + "/stills")
            change(&$0)
        }
        #expect(await served.waits { $0.isWhole })
        return served
    }

    /// A clip made by ffmpeg's generators. Blocks on a separate thread.
    private func clip(_ source: String, _ more: [String] = [], name: String = "clip.mp4") async throws -> [UInt8] {
        try await onThread {
            let folder = TemporaryFolder()
            let arguments = ["ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", source] + more
            let result = try Command.run(arguments + [folder.path + "/" + name])
            guard result.status == 0 else { throw Command.Error(description: result.errors) }
            return Array(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name)))
        }
    }

    /// Red at its left and blue at its right.
    private func halves(_ size: String = "320x180", seconds: Int = 1) async throws -> [UInt8] {
        try await clip(
            "color=red:s=\(size):r=25:d=\(seconds),drawbox=x=iw/2:w=iw/2:h=ih:color=blue:t=fill",
            ["-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset", "ultrafast"])
    }

    private struct Decoded {
        var width: Int
        var height: Int
        /// Red, green, blue of what is a quarter from the left and from the right.
        var left: [UInt8]
        var right: [UInt8]
    }

    /// A JPEG as another program reads it.
    private func decoded(_ jpeg: [UInt8]) async throws -> Decoded {
        #expect(jpeg.starts(with: [0xFF, 0xD8, 0xFF]) && jpeg.suffix(2) == [0xFF, 0xD9])
        return try await onThread {
            let folder = TemporaryFolder()
            let (path, raw) = (try folder.write("still.jpg", jpeg), folder.path + "/raw")
            let size = try Command.run([
                "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0", path,
            ]).output.split(whereSeparator: { ",\n".contains($0) })
            _ = try Command.run([
                "ffmpeg", "-v", "error", "-i", path, "-vf", "format=gbrp,scale=2:1:flags=area", "-pix_fmt",
                "rgb24", "-f",
                "rawvideo", raw,
            ])
            let pixels = Array(try Data(contentsOf: URL(fileURLWithPath: raw)))
            guard size.count == 3, size[0] == "mjpeg", let width = Int(size[1]), let height = Int(size[2]),
                pixels.count == 6
            else { throw Command.Error(description: "no JPEG: \(size) \(pixels)") }
            return Decoded(width: width, height: height, left: Array(pixels[..<3]), right: Array(pixels[3...]))
        }
    }

    private func address(_ path: String) -> String { "/still/\(ServedFolder.id(path)).jpg" }

    private func counts(_ served: ServedFolder) -> [Int] {
        Metrics.StillResult.allCases.map { served.server.metrics.count(of: $0) }
    }

    // MARK: Made

    @Test func aStillIsMadeOfAClipAndSentLikeAFile() async throws {
        let served = try await served(["Ann/a b.mp4": try await halves()])
        let url = "http://127.0.0.1:\(served.port)\(address("Ann/a b.mp4"))"
        #expect(try await served.items().first?["thumbnail"] as? String == url)
        #expect(try await served.get("/feed.xml").text.contains("<media:thumbnail url=\"\(url)\"/>"))
        let still = try await served.get(address("Ann/a b.mp4"))
        #expect(still.status == 200 && still.headers["content-type"] == "image/jpeg", "\(still.text.prefix(200))")
        let picture = try await decoded(still.body)
        #expect(picture.width <= 640 && picture.width * 180 == picture.height * 320)
        #expect(picture.left[0] > 200 && picture.left[2] < 50 && picture.right[0] < 50 && picture.right[2] > 200)
        let tag = try #require(still.headers["etag"])
        #expect(still.headers["last-modified"] != nil && still.headers["cache-control"] == "max-age=300")
        let same = try await served.get(address("Ann/a b.mp4"), ["If-None-Match: " + tag])
        #expect(same.status == 304 && same.body.isEmpty && same.headers["cache-control"] == "max-age=300")
        let part = try await served.get(address("Ann/a b.mp4"), ["Range: bytes=0-1", "If-Range: " + tag])
        #expect(part.status == 206 && part.body == [0xFF, 0xD8])
        let head = try await served.ask("HEAD", address("Ann/a b.mp4"))
        #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "\(still.body.count)")
        #expect(counts(served) == [1, 0, 3])
        let metrics = try await served.get("/metrics").text
        #expect(metrics.contains("flick_stills_total{result=\"made\"} 1\n"))
        #expect(metrics.contains("flick_stills_total{result=\"kept\"} 3\n"))
        await served.stop()
        #expect(!served.log.contains("warning"))
    }

    @Test func largeOnesAreMadeSmallerAndKeepTheirShape() async throws {
        let portrait = try await onThread { try TestClips.path(TestClips.portrait) }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: portrait)))
        let served = try await served(["tall.mp4": bytes, "wide.mkv": try await halves("1920x1080")])
        let tall = try await decoded(try await served.get(address("tall.mp4")).body)
        #expect(tall.width == 360 && tall.height == 640)
        #expect(try await served.get(address("wide.mkv")).status == 200)
        await served.stop()
    }

    /// A clip that fades in has a still of what it shows then, one that stays black a black one.
    @Test func blackIsNotTakenIfThereIsMore() async throws {
        let source = "color=red:s=320x180:r=25:d=3,fade=in:st=0.6:d=0.2"
        let black = "color=black:s=320x180:r=25:d=2"
        let short = "color=red:s=320x180:r=25:d=0.04"
        let served = try await served([
            "fade.mp4": try await clip(source, ["-pix_fmt", "yuv420p"]),
            "black.mp4": try await clip(black, ["-pix_fmt", "yuv420p"]),
            "short.mp4": try await clip(short, ["-pix_fmt", "yuv420p"]),
        ])
        let fade = try await decoded(try await served.get(address("fade.mp4")).body)
        #expect(fade.left[0] > 200)
        #expect(try await decoded(try await served.get(address("black.mp4")).body).left.allSatisfy { $0 < 30 })
        #expect(try await decoded(try await served.get(address("short.mp4")).body).left[0] > 200)
        await served.stop()
    }

    @Test func stillIsMadeOncePerEdition() async throws {
        let folder = TemporaryFolder()
        // Without it no decoder can be started.
        let decoder = folder.path + "/decoder"
        try folder.link("decoder", to: Self.program("flick-decoder"))
        let served = try await served(
            ["a.mp4": try await halves(), "b.mp4": try await halves()], decoder: decoder, folder: folder)
        let first = try await served.get(address("a.mp4"))
        #expect(first.status == 200)
        #expect(unlink(decoder) == 0)
        let second = try await served.get(address("a.mp4"))
        #expect(second.body == first.body && second.headers["etag"] == first.headers["etag"])
        let refused = try await served.get(address("b.mp4"))
        #expect(refused.status == 503 && refused.headers["retry-after"] == "5", "\(refused.text)")
        #expect(counts(served) == [1, 1, 1])
        // That was not the clip's fault: it is tried again.
        try folder.link("decoder", to: Self.program("flick-decoder"))
        #expect(try await served.get(address("b.mp4")).status == 200)
        // Another file has its name.
        try folder.write("served/new", try await clip("color=lime:s=320x180:d=1", ["-pix_fmt", "yuv420p"]))
        #expect(rename(served.path + "/new", served.path + "/a.mp4") == 0)
        let other = try await served.get(address("a.mp4"), ["If-None-Match: " + (first.headers["etag"] ?? "")])
        #expect(other.status == 200 && counts(served) == [3, 1, 1])
        #expect(try await decoded(other.body).left[1] > 200)
        await served.stop()
    }

    @Test func twentyAtOnceAreMadeByTwoDecoders() async throws {
        let bytes = try await halves()
        let names = (0..<20).map { "\($0).mp4" }
        let served = try await served(Dictionary(uniqueKeysWithValues: names.map { ($0, bytes) }))
        let most = Monitor((most: 0, isOver: false))
        let server = served.server
        BlockingThread.start {
            // Until it is over: it looks as often as it can.
            while !most.withLock(\.isOver) {
                let count = server.stills?.decoders ?? 0
                most.withLock { $0.most = max($0.most, count) }
                sched_yield()
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for name in names {
                for _ in 0..<4 {
                    tasks.addTask {
                        let still = try await served.get(address(name))
                        #expect(still.status == 200 && still.body.starts(with: [0xFF, 0xD8]))
                    }
                }
            }
            try await tasks.waitForAll()
        }
        most.withLock { $0.isOver = true }
        #expect(counts(served)[0] == 20 && (1...2).contains(most.withLock(\.most)))
        await served.stop()
    }

    @Test func aPictureBesideTheClipComesFirst() async throws {
        let base = MediaBase("https://cdn.example/v/")
        let served = try await served(["a.mp4": try await halves(), "a.jpg": [7], "b.mp4": try await halves()]) {
            $0.mediaBase = base
        }
        #expect(try await served.get(address("a.mp4")).body == [7])
        let thumbnails = try await served.items().map { $0["thumbnail"] as? String }
        #expect(
            thumbnails == ["https://cdn.example/v/a.jpg", "http://127.0.0.1:\(served.port)\(address("b.mp4"))"])
        #expect(try await served.get(address("b.mp4")).status == 200 && counts(served) == [1, 0, 0])
        await served.stop()
    }

    // MARK: Not made

    @Test func undecodableClipHasNoStillAndIsNotRetried() async throws {
        let tone = try await clip("sine=440:d=1", name: "tone.mp4")
        let served = try await served([
            "damaged.mp4": ServedFolder.bytes, "empty.mp4": [], "tone.mp4": tone,
            "tone.mp3": try await clip("sine=440:d=1", name: "tone.mp3"), "z.mp4": try await halves(),
        ])
        #expect(try await served.items().count { $0["thumbnail"] != nil } == 4, "all but what is sound by its name")
        for _ in 0..<2 {
            for (name, why) in [
                ("damaged.mp4", ""), ("empty.mp4", ""), ("tone.mp4", ": it has audio but no video"), ("tone.mp3", ""),
            ] {
                let reply = try await served.get(address(name))
                let error = reply.json["error"] as? String ?? ""
                #expect(reply.status == 404 && error.hasPrefix("no still for this item: "), "\(error)")
                #expect(error.hasSuffix(why))
            }
        }
        #expect(counts(served) == [0, 4, 0])
        let thumbnails = try await served.items().compactMap { $0["thumbnail"] as? String }
        #expect(thumbnails == ["http://127.0.0.1:\(served.port)\(address("z.mp4"))"])
        // A whole file takes the place of the damaged one.
        try served.folder.write("served/damaged.mp4", try await halves())
        #expect(try await served.get(address("damaged.mp4")).status == 200)
        #expect(try await served.get(address("none.mp4")).status == 404)
        await served.stop()
    }

    @Test func withoutADecoderAllElseIsServed() async throws {
        let served = try await served(["a.mp4": try await halves()], decoder: nil)
        #expect(try await served.get(address("a.mp4")).status == 404)
        #expect(try await served.items().first?["thumbnail"] == nil)
        #expect(try await served.get("/media/" + ServedFolder.a).status == 200)
        await served.stop()
        #expect(served.log.components(separatedBy: "no stills: flick-decoder not found").count == 2)
    }

    @Test func withoutAPlaceToKeepThemTheyAreStillSent() async throws {
        let served = try await served(["a.mp4": try await halves()]) { $0.stills?.folder = "/dev/null/stills" }
        for _ in 0..<2 {
            let still = try await served.get(address("a.mp4"))
            #expect(still.status == 200 && still.headers["content-type"] == "image/jpeg")
            #expect(try await decoded(still.body).left[0] > 200)
        }
        #expect(counts(served) == [2, 0, 0])
        await served.stop()
        #expect(served.log.components(separatedBy: "cannot store stills in '/dev/null/stills'").count == 2)
    }

    // MARK: Hostile

    /// `HostileDecoderTests` test these decoders against flick in full.
    @Test func decodersThatWereTakenOverDoNotStopTheServer() async throws {
        let names = [
            "never greets", "leaves at once", "leaves once it has opened the clip", "announces 4 GB",
            "opens the clip without end", "says without end which variant it reads",
            "asks for megabytes and takes none of them", "opens and closes, again and again", "reads byte after byte",
            "sends pictures and reads no orders", "is silent behind its first pictures",
            "reports an unplayable clip in text with escape sequences",
        ]
        let numbers = names.compactMap { name in Misdeed.all.firstIndex { $0.name == name } }
        try #require(numbers.count == names.count)
        var files = Dictionary(uniqueKeysWithValues: numbers.map { ("\($0).mp4", ServedFolder.bytes) })
        files["honest.mp4"] = ServedFolder.bytes
        let served = try await served(files, decoder: Self.program("flick-hostile-decoder")) {
            $0.stills?.patience = .seconds(1)
        }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for number in numbers {
                tasks.addTask {
                    let reply = try await served.get(address("\(number).mp4"))
                    #expect(reply.status == 200 || !reply.text.contains("\u{1B}"))
                    return reply.status
                }
            }
            #expect(try await served.get("/healthz").status == 200)
            #expect(try await served.get("/media/" + ServedFolder.id("honest.mp4")).body.count == 300_000)
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        // Some of them send a picture first.
        #expect(statuses.allSatisfy { $0 == 404 || $0 == 200 } && statuses.count { $0 == 404 } >= 8, "\(statuses)")
        #expect(try await served.get(address("honest.mp4")).status == 200)
        await served.stop()
    }

    @Test func theEndDoesNotWaitForDecodersThatHang() async throws {
        let hang = try #require(Misdeed.all.firstIndex { $0.name == "never greets" })
        let served = try await served(
            ["\(hang).mp4": ServedFolder.bytes], decoder: Self.program("flick-hostile-decoder")
        ) { $0.stills?.patience = .seconds(600) }
        let server = served.server
        // Its connection may be cut before the answer: that throws, and is as good.
        async let reply = try? served.get(address("\(hang).mp4"))
        #expect(await onThread { holds(within: .seconds(60)) { server.stills?.decoders == 1 } })
        let began = ContinuousClock.now
        await served.stop(upTo: .milliseconds(100))
        #expect(ContinuousClock.now - began < .seconds(120))
        #expect([nil, 503].contains(await reply?.status))
        #expect(server.stills?.decoders == 0)
    }

    /// A link out of the folder, and a file in it that clients do not get either, lead to a clip that would play.
    @Test func aPlaylistLeadsNowhereElse() async throws {
        let folder = TemporaryFolder()
        let segment = try await clip(
            "color=red:s=320x180:r=25:d=1", ["-pix_fmt", "yuv420p", "-f", "mpegts"], name: "s.ts")
        let secret = try folder.write("secret.ts", segment)
        func playlist(_ address: String) -> [UInt8] {
            Array(
                "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n\(address)\n#EXT-X-ENDLIST\n".utf8)
        }
        let bad = [
            "../../secret.ts", secret, "file://" + secret, "../private.ts", ".hidden.ts", "link.ts", "s.json",
            "file:///bad/%2e%2e/private.ts", "http://127.0.0.1:9/s.ts", "../../../../../../../../../../.." + secret,
        ]
        var files = [
            "good/index.m3u8": playlist("deeper/s%20s.ts"), "good/deeper/s s.ts": segment, "private.ts": segment,
        ]
        for (index, address) in bad.enumerated() {
            files["bad\(index)/index.m3u8"] = playlist(address)
            files["bad\(index)/.hidden.ts"] = segment
            files["bad\(index)/s.json"] = segment
        }
        for index in bad.indices {
            try folder.folder("served/bad\(index)")
            try folder.link("served/bad\(index)/link.ts", to: secret)
        }
        let served = try await served(files, folder: folder)
        let good = try await served.get(address("good/index.m3u8"))
        #expect(good.status == 200, "\(good.text)")
        for (index, address) in bad.enumerated() {
            let reply = try await served.get(self.address("bad\(index)/index.m3u8"))
            #expect(reply.status == 404, "\(address): \(reply.status)")
        }
        await served.stop()
    }
}
