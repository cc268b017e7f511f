import Foundation
import TestSupport
import Testing

@testable import FeedServer

@Suite struct ServedMediaTests {
    @Test func clipIsSentWholeAndInParts() async throws {
        let served = try await ServedFolder()
        let path = "/media/" + ServedFolder.a
        let whole = try await served.get(path)
        #expect(whole.status == 200 && whole.body == ServedFolder.bytes)
        #expect(whole.headers["accept-ranges"] == "bytes" && whole.headers["content-type"] == "video/mp4")
        #expect(whole.headers["x-content-type-options"] == "nosniff")
        let part = try await served.get(path, ["Range: bytes=1000-259999"])
        #expect(part.status == 206 && part.body == Array(ServedFolder.bytes[1_000...259_999]))
        #expect(part.headers["content-range"] == "bytes 1000-259999/300000")
        let tail = try await served.get(path, ["Range: bytes=-7"])
        #expect(tail.status == 206 && tail.body == Array(ServedFolder.bytes.suffix(7)))
        let head = try await served.ask("HEAD", path, ["Range: bytes=0-9"])
        #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "300000")
        let beyond = try await served.get(path, ["Range: bytes=300000-"])
        #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */300000")
        #expect(beyond.json["error"] != nil)
        await served.stop()
    }

    @Test func validatorsDistinguishVersions() async throws {
        let served = try await ServedFolder()
        let path = "/media/" + ServedFolder.a
        let first = try await served.ask("HEAD", path)
        let (tag, date) = (try #require(first.headers["etag"]), try #require(first.headers["last-modified"]))
        let same = try await served.get(path, ["If-None-Match: " + tag])
        #expect(same.status == 304 && same.body.isEmpty && same.headers["etag"] == tag)
        #expect(try await served.get(path, ["If-Modified-Since: " + date]).status == 304)
        #expect(try await served.get(path, ["If-Range: " + tag, "Range: bytes=0-4"]).body.count == 5)
        // The file is replaced by another of the same size.
        try served.folder.write("served/new", ServedFolder.bytes.reversed())
        #expect(rename(served.path + "/new", served.path + "/a.mp4") == 0)
        let other = try await served.get(path, ["If-Range: " + tag, "Range: bytes=0-4"])
        #expect(other.status == 200 && other.body == ServedFolder.bytes.reversed())
        #expect(try await served.get(path, ["If-None-Match: " + tag]).status == 200)
        await served.stop()
    }

    @Test func rewrittenFileWithOldDateHasANewETag() async throws {
        let served = try await ServedFolder()
        let path = "/media/" + ServedFolder.a
        let first = try await served.ask("HEAD", path)
        let (tag, date) = (try #require(first.headers["etag"]), try #require(first.headers["last-modified"]))
        var facts = stat()
        #expect(stat(served.path + "/a.mp4", &facts) == 0)
        // Until the file system's clock has advanced.
        let isRewritten = await onThread { [facts, place = served.path + "/a.mp4"] in
            holds(within: .seconds(20)) {
                guard let file = FileHandle(forWritingAtPath: place) else { return false }
                file.write(Data([255]))
                file.closeFile()
                var times = [facts.st_atim, facts.st_mtim]
                utimensat(AT_FDCWD, place, &times, 0)
                var now = stat()
                return stat(place, &now) == 0 && now.st_mtim.tv_nsec == facts.st_mtim.tv_nsec
                    && now.st_ctim.tv_sec > facts.st_ctim.tv_sec
            }
        }
        #expect(isRewritten)
        let other = try await served.get(path, ["If-None-Match: " + tag])
        #expect(other.status == 200 && other.body[0] == 255 && other.headers["last-modified"] == date)
        #expect(try await served.get(path, ["If-Range: " + tag, "Range: bytes=0-4"]).status == 200)
        #expect(try await served.get(path, ["If-Range: " + date, "Range: bytes=0-4"]).status == 200)
        #expect(try await served.get(path, ["If-Match: " + tag]).status == 412)
        let new = try #require(other.headers["etag"])
        #expect(try await served.get(path, ["If-Range: " + new, "Range: bytes=0-4"]).status == 206)
        await served.stop()
    }

    @Test func filesOutsideTheFolderAreNotSent() async throws {
        let folder = TemporaryFolder()
        let secret = try folder.write("secret.mp4", "secret".utf8)
        try folder.write("elsewhere/other.mp4", "secret".utf8)
        try folder.folder("served")
        try folder.link("served/absolute.mp4", to: secret)
        try folder.link("served/relative.mp4", to: "../secret.mp4")
        try folder.link("served/sub", to: "../elsewhere")
        try folder.write("served/real/x.mp4", "inside".utf8)
        try folder.link("served/inside.mp4", to: "real/x.mp4")
        try folder.link("served/dangling.mp4", to: "nothing")
        try folder.write("served/late.mp4", "late".utf8)
        #expect(mkfifo(folder.path + "/served/pipe.mp4", 0o600) == 0)
        let served = try await ServedFolder([:], folder: folder)
        #expect(await served.waits { $0.isWhole && $0.count == 3 })
        #expect(try await served.items().compactMap { $0["title"] as? String } == ["inside", "late", "x"])
        // The id of a path is no secret, and useless.
        for path in [
            "absolute.mp4", "relative.mp4", "sub/other.mp4", "../secret.mp4", secret, "pipe.mp4", "dangling.mp4",
        ] {
            #expect(try await served.get("/media/" + ServedFolder.id(path)).status == 404, "\(path)")
        }
        #expect(try await served.get("/media/" + ServedFolder.id("inside.mp4")).text == "inside")
        // A file that becomes a link after the walk is not followed either.
        #expect(unlink(folder.path + "/served/real/x.mp4") == 0)
        try folder.link("served/real/x.mp4", to: secret)
        #expect(try await served.get("/media/" + ServedFolder.id("real/x.mp4")).status == 404)
        // Nor is what becomes something else than a file.
        let late = folder.path + "/served/late.mp4"
        #expect(unlink(late) == 0 && mkfifo(late, 0o600) == 0)
        #expect(try await served.get("/media/" + ServedFolder.id("late.mp4")).status == 404)
        for target in [
            "/media/../../secret.mp4", "/media/..%2F..%2Fsecret.mp4", "/media/%2e%2e/secret.mp4",
            "/media/....//secret.mp4",
            "/media/%252e%252e%252fsecret.mp4", "/media//etc/passwd", "/media/..%5c..%5csecret.mp4",
            "/media/%c0%ae%c0%ae/secret.mp4", "/../secret.mp4", "/media/" + secret, "/media/a%00.mp4",
            "//127.0.0.1/media/x", "/media/.", "/media/..", "/media/..;/x",
            "/media/\(ServedFolder.id("inside.mp4"))/../x",
        ] {
            let reply = try await served.get(target)
            #expect(reply.status == 404 && !reply.text.contains("secret"), "\(target): \(reply.status)")
        }
        await served.stop()
    }

    /// A client that takes nothing costs a piece, not a file: what is not in the socket is in the file.
    @Test func severalReadersGetTheirOwnParts() async throws {
        let served = try await ServedFolder()
        let path = "/media/" + ServedFolder.a
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for number in 0..<20 {
                tasks.addTask {
                    let start = number * 7_001
                    let part = try await served.get(path, ["Range: bytes=\(start)-\(start + 140_000)"])
                    // Not `==`: telling how such long arrays differ takes minutes.
                    #expect(part.body.elementsEqual(ServedFolder.bytes[start...(start + 140_000)]))
                }
            }
            try await tasks.waitForAll()
        }
        await served.stop()
    }

    @Test func aFileThatIsCutShortEndsTheConnection() async throws {
        let served = try await ServedFolder(["big.mp4": [UInt8](repeating: 7, count: 40_000_000)]) {
            // It is not its slowness that ends it.
            ($0.limits.write, $0.limits.idle) = (.seconds(600), .seconds(600))
        }
        let id = ServedFolder.id("big.mp4")
        let (port, path) = (served.port, served.path)
        let left = ServedParts.pieceSize * 40
        let count: Int = try await onThread {
            let client = try RawClient(port: port)
            client.send("GET /media/\(id) HTTP/1.1\r\nHost: x\r\n\r\n")
            let first = client.readSome()
            // Between two pieces, and further on than any socket holds.
            guard truncate(path + "/big.mp4", off_t(left)) == 0 else { return -1 }
            return first.count + (try client.readToEnd().count)
        }
        #expect(count > left && count < left + 1_000, "what is left is sent")
        #expect(try await served.get("/healthz").status == 200)
        await served.stop()
    }
}
