import Foundation
import TestSupport

/// Items that are not ordinary clips, and feeds whose servers fail or reject.
extension Footage {
    /// The items of `extras.json`, in order.
    static let extras = ["podcast", "radio", "photo", "long-caption", "chapters"]

    /// Writes the items of `extras`, and the files that they need.
    func writeExtras() throws {
        // Speech comes in bursts, and so does this.
        let speech = "aevalsrc=0.5*sin(1231*t)*abs(sin(2.1*t)):s=48000"
        for name in ["podcast", "radio"] {
            try Self.make("\(folder)/\(name).m4a", ["-f", "lavfi", "-i", speech, "-t", "60", "-c:a", "aac"])
        }
        let still = ["-i", FlickBinary.demo + "/market.mp4", "-ss", "3", "-frames:v", "1", "-q:v", "2"]
        for name in ["cover", "photo"] { try Self.make("\(folder)/\(name)-market.jpg", still) }
        try Data(Self.transcript.utf8).write(to: URL(fileURLWithPath: folder + "/podcast.vtt"))
        let chapters: [[String: Any]] = [
            ["start": 0, "title": "The pilot boat"], ["start": 2.5, "title": "Fog in the outer harbour"],
            ["start": 5, "title": "What the lighthouse keeper saw"],
        ]
        let podcast: [String: Any] = [
            "title": "Episode 12: the last ferry", "thumbnail": "cover-market.jpg",
            "subtitles": [["url": "podcast.vtt", "language": "en", "label": "English"]],
            "chapters": [
                ["start": 0, "title": "The pilot boat"], ["start": 20, "title": "Fog in the outer harbour"],
                ["start": 40, "title": "What the lighthouse keeper saw"],
            ] as [[String: Any]],
        ]
        let items: [[String: Any]] = [
            item("podcast", "podcast.m4a").merging(podcast) { $1 },
            item("radio", "radio.m4a").merging(["title": "Night watch on channel 12"]) { $1 },
            item("photo", "photo-market.jpg").merging(["title": "Lanterns, from the second floor"]) { $1 },
            item("long-caption", "9x16.mp4").merging(["description": Self.longCaption]) { $1 },
            item("chapters", "16x9.mp4").merging(["chapters": chapters]) { $1 },
        ]
        try feed(items).write(to: URL(fileURLWithPath: folder + "/extras.json"))
    }

    /// A cue every four seconds.
    private static let transcript: String = {
        let lines = [
            "The last ferry leaves at ten.", "The crew is in no hurry.", "You can hear the bell buoy from here,",
            "and behind it the dredger.", "In winter it is the only light for miles.",
        ]
        let cues = (0..<15).map { number in
            let (start, end) = (number * 4, number * 4 + 4)
            return "00:\(cueTime(start)).000 --> 00:\(cueTime(end)).000\n\(lines[number % lines.count])\n"
        }
        return "WEBVTT\n\n" + cues.joined(separator: "\n")
    }()

    /// "00:08", of seconds up to an hour.
    private static func cueTime(_ seconds: Int) -> String {
        String(format: "%02d:%02d", seconds / 60, seconds % 60)
    }

    private static let longCaption = """
        The last ferry leaves at ten. Filmed in one take from the end of the mole, with a lens that is older than the \
        boat. The crew waved first.

        How it was made: the camera stood on a bollard, the wind did the rest. I lost two lens caps and one glove to \
        the harbour. The second take was better in every way but one: the ferry was not in it.

        Timetable and fares: https://example.org/ferry
        The dredger has its own page: https://example.org/dredger

        Thanks to the harbour office, who switched on the old lamp for us, and to everyone who asked about the bell \
        buoy. It is still there. It rings by itself. #harbour #ferry #night
        """

    // MARK: Servers

    func serve(_ path: String, _ feed: Data, faults: [Fault] = []) throws {
        server.serve(
            path, .text(String(decoding: feed, as: UTF8.self), type: "application/json", faults: faults))
    }

    /// Serves a feed that can be read once, and returns its URL. Each window gets its own: the server counts requests
    /// by path.
    func serveOnce() throws -> String {
        let path = "/once-\(UUID().uuidString).json"
        try serve(path, feed([item("offline", "clip-ocean.mp4")]), faults: [.status(503).from(2)])
        return server.url(path)
    }

    /// `/rejecting.json`: its service answers each comment with an error. `/no-service.json`: it has no service.
    ///
    /// - Parameter clip: the bytes of the clip of both.
    func serveComments(_ clip: [UInt8]) throws {
        server.serve("/clip-ocean.mp4", clip)
        try serve("/no-service.json", feed([item("no-service", "clip-ocean.mp4")]))
        try serve("/rejecting.json", feed([item("rejecting", "clip-ocean.mp4")], ["engagement": "service"]))
        var rejection = Resource.text(#"{"error": "comments are closed"}"#, type: "application/json")
        (rejection.status, rejection.methods) = (403, ["POST"])
        let list =
            #"{"comments": [{"id": "1", "name": "Mira Okafor", "text": "Which pier is this?", "#
            + #""at": "2026-05-02T08:00:00Z", "own": false, "replies": []}], "total": 1}"#
        var comments = Resource.text(list, type: "application/json", faults: [.becomes(rejection).of("POST")])
        comments.methods = ["GET", "HEAD", "POST"]
        server.serve("/service/videos/screen-rejecting/comments", comments)
    }
}
