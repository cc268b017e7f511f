import Model

/// Pages without video, places, grids and text fields, which take some keys to reach, and the other themes.
extension Shots {
    static var others: [[Shot]] {
        [audio, photos, grids, finds, feeds, themes, comments, captions, places, hearts]
    }

    /// One of each size. `plays` is false where no first frame comes.
    private static func shots(
        _ group: String, _ scene: String, _ source: Footage.Source, _ steps: [Shot.Step] = [],
        arguments: [String] = [], isLight: Bool = false, plays: Bool = true
    ) -> [Shot] {
        [tiny, small, large].map {
            Shot(
                group: group, scene: scene, size: $0, source: source, arguments: arguments, isLight: isLight,
                plays: plays, steps: steps)
        }
    }

    /// The same at 80x24 and in pixels.
    private static func inPixels(
        _ group: String, _ scene: String, _ source: Footage.Source, _ steps: [Shot.Step], plays: Bool = true
    ) -> [Shot] {
        pixelSurfaces.map {
            Shot(
                group: group, scene: scene, size: small, surface: $0, source: source, plays: plays, steps: steps)
        }
    }

    private static var pixelSurfaces: [String] { Kitty.isAvailable ? ["kitty", "sixel"] : ["sixel"] }

    private static var audio: [Shot] {
        let plays: [Shot.Step] = [.event("audio", times: 1), .wait(.seconds(2))]
        // The notice that names the chosen subtitles is gone after 4 s.
        let transcript: [Shot.Step] = [.key("v"), .wait(.seconds(4))]
        let chapter: [Shot.Step] = [.key("}"), .wait(.milliseconds(500))]
        let scenes: [(name: String, item: String, steps: [Shot.Step])] = [
            ("cover", "podcast", plays), ("no-cover", "radio", plays), ("transcript", "podcast", plays + transcript),
            ("chapter", "podcast", plays + chapter),
        ]
        let light = shots(
            "audio", "no-cover-light", .extra("radio"), plays, arguments: ["--theme", "light"], isLight: true,
            plays: false)
        return scenes.flatMap { shots("audio", $0.name, .extra($0.item), $0.steps, plays: false) } + light
    }

    private static var photos: [Shot] {
        let steps: [Shot.Step] = [.event("first_frame", times: 1), .wait(.seconds(1))]
        return shots("photo", "page", .extra("photo"), steps, plays: false)
            + inPixels("photo", "page", .extra("photo"), steps, plays: false)
    }

    /// The clips of a creator. Their stills take a moment to make.
    private static var grids: [Shot] {
        let opens: [Shot.Step] = [.key("u"), .wait(.seconds(4))]
        let moves: [Shot.Step] = [.key(right), .key(down), .wait(.seconds(1))]
        let scenes = [
            shots("grid", "creator", .item("4x5"), opens), shots("grid", "chosen", .item("4x5"), opens + moves),
            shots("grid", "few", .demo, opens), inPixels("grid", "creator", .item("4x5"), opens),
        ]
        return Array(scenes.joined())
    }

    private static var finds: [Shot] {
        [("all", ""), ("matches", "sea"), ("nothing", "zebra")].flatMap { scene, text in
            let steps: [Shot.Step] = [.key("/")] + Shot.Step.typing(text) + [.wait(.milliseconds(700))]
            return shots("find", scene, .demo, steps)
        }
    }

    /// A feed whose server fails when it is read again.
    private static var feeds: [Shot] {
        shots("feed", "offline", .offline, [.key("r"), .event("feed", times: 2), .wait(.seconds(3))])
    }

    private static var themes: [Shot] {
        let scenes: [(name: String, source: Footage.Source, steps: [Shot.Step])] = [
            ("page", .item("bright"), []), ("wide", .item("21x9"), []),
            ("menu", .demo, [.key("M"), .key(down), .wait(.milliseconds(500))]),
            ("comments", .demo, [.key("c"), .wait(.milliseconds(700))]),
            ("find", .demo, [.key("/"), .key("n"), .wait(.milliseconds(700))]),
            ("error", .broken("html"), [.event("error", times: 1), .wait(.milliseconds(400))]),
        ]
        return ["light", "high-contrast"].flatMap { theme in
            scenes.flatMap { scene in
                shots(
                    "theme", "\(theme)-\(scene.name)", scene.source, scene.steps, arguments: ["--theme", theme],
                    isLight: theme == "light", plays: scene.name != "error")
            }
        }
    }

    /// Comments that are typed, that the service rejects, and that it does not accept at all.
    private static var comments: [Shot] {
        let types: [Shot.Step] =
            [.key(":")] + Shot.Step.typing("The bell buoy is new. Who put it there?") + [.wait(.milliseconds(500))]
        let sends: [Shot.Step] = [.key("\r"), .event("error", times: 1), .wait(.milliseconds(400))]
        let opens: [Shot.Step] = [.key("c"), .wait(.seconds(3))]
        let scenes = [
            shots("comment", "typed", .demo, types),
            shots("comment", "rejected", .comments(areRejected: true), types + sends),
            shots("comment", "not-sent", .comments(areRejected: true), types + sends + opens),
            shots("comment", "no-service", .comments(areRejected: false), [.key(":"), .wait(.milliseconds(400))]),
        ]
        return Array(scenes.joined())
    }

    /// A short caption, which opens on the page, a long one, which takes a sheet where the page is low, and chapters.
    private static var captions: [Shot] {
        let opens: [Shot.Step] = [.key("e"), .wait(.milliseconds(500))]
        let link: [Shot.Step] = [.key("e"), .key("\t"), .wait(.milliseconds(500))]
        let scenes = [
            shots("caption", "short", .demo, opens), shots("caption", "long", .extra("long-caption"), opens),
            shots("caption", "link", .extra("long-caption"), link),
            shots("chapter", "next", .extra("chapters"), [.key("}"), .wait(.milliseconds(500))]),
        ]
        return Array(scenes.joined())
    }

    /// Places without clips, and Hidden with two rules: a clip, and the creator of the next one.
    private static var places: [Shot] {
        let hides: [Shot.Step] = [
            .key("X"), .key("\r"), .wait(.seconds(1)), .key("X"), .key(down), .key("\r"), .wait(.seconds(1)),
        ]
        let opens: [Shot.Step] = [.key("X"), .key("G"), .key("\r"), .wait(.seconds(3))]
        return ["liked", "saved", "history", "offline", "hidden", "following"].flatMap { place in
            shots(
                "place", "\(place)-empty", .demo, [.wait(.seconds(3))], arguments: ["--place", place], plays: false)
        } + shots("place", "hidden-list", .demo, hides + opens)
    }

    /// The heart of a double click in pixels, which is there for 0.7 s, and the liked page.
    private static var hearts: [Shot] {
        let clicks = [tiny, small, large].flatMap { size in
            pixelSurfaces.map {
                Shot(
                    group: "heart", scene: "double-click", size: size, surface: $0, source: .demo,
                    steps: [.doubleClick(column: size.columns / 3, row: size.rows / 3), .wait(.milliseconds(100))],
                    isInMotion: true)
            }
        }
        return clicks + inPixels("heart", "liked", .demo, [.key("l"), .wait(.seconds(2))])
    }
}
