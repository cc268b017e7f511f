import Model

/// The contact sheet: not every combination, but the informative ones.
enum Shots {
    static var all: [Shot] {
        let ofClips = [
            shapes, grounds, colors, parts, pixels, sheets, states, waits, errors, motions, folders,
        ]
        return Array((ofClips + others).joined())
    }

    static let tiny = GridSize(columns: 40, rows: 12)
    static let small = GridSize(columns: 80, rows: 24)
    static let middle = GridSize(columns: 120, rows: 40)
    static let large = GridSize(columns: 200, rows: 60)
    static let tall = GridSize(columns: 60, rows: 50)

    static let up = "\u{1B}[A", down = "\u{1B}[B", right = "\u{1B}[C"

    /// Every shape of picture at every size.
    private static var shapes: [Shot] {
        ["9x16", "4x5", "1x1", "4x3", "16x9", "21x9"].flatMap { shape in
            [tiny, small, middle, large, tall].map {
                Shot(group: "page", scene: shape, size: $0, source: .item(shape))
            }
        }
    }

    /// What letters and signs have to be read on.
    private static var grounds: [Shot] {
        ["white", "black", "noise", "bright", "dark"].map {
            Shot(group: "ground", scene: $0, size: small, source: .item($0))
        }
            + ["white", "noise", "bright"].map {
                Shot(group: "ground", scene: $0, size: middle, source: .item($0), arguments: ["--fill"])
            }
    }

    /// Fewer colours, ASCII, and of the finer blocks those that the font of the windows has.
    private static var colors: [Shot] {
        let parts = ["quadrant", "braille"].flatMap { surface in
            ["truecolor", "256", "16", "mono"].map { (surface, $0) }
        }
        let fewer =
            ["256", "16", "mono"].map { ("half", $0) } + ["truecolor", "256", "16", "mono"].map { ("ascii", $0) }
        return (fewer + parts).flatMap { surface, color in
            [
                Shot(group: "color", scene: "demo", size: small, surface: surface, color: color, source: .demo),
                Shot(
                    group: "color", scene: "16x9", size: middle, surface: surface, color: color, source: .item("16x9")),
            ]
        }
            + ["half", "ascii"].map {
                Shot(group: "color", scene: "demo", size: tiny, surface: $0, color: "16", source: .demo)
            }
    }

    /// The blocks that windows of kitty show with a font of their own; none
    /// without kitty. Beside them the same page of half blocks.
    private static var parts: [Shot] {
        func market(_ surface: String) -> Shot {
            Shot(
                group: "parts", scene: "market", size: middle, surface: surface, source: .demo,
                arguments: ["--start", "2"], steps: [.wait(.seconds(2))])
        }
        guard Kitty.isAvailable else { return [market("half")] }
        return ["half", "sextant", "octant"].map(market)
            + ["sextant", "octant"].flatMap { surface in
                ["truecolor", "256", "16", "mono"].flatMap { color in
                    [
                        Shot(
                            group: "parts", scene: "demo", size: small, surface: surface, color: color, source: .demo),
                        Shot(
                            group: "parts", scene: "16x9", size: middle, surface: surface, color: color,
                            source: .item("16x9")),
                    ]
                }
            }
    }

    /// Pixels, and text over them.
    private static var pixels: [Shot] {
        (Kitty.isAvailable ? ["kitty", "sixel"] : ["sixel"]).flatMap { surface in
            [small, middle].map { Shot(group: "pixels", scene: "demo", size: $0, surface: surface, source: .demo) }
                + [
                    Shot(group: "pixels", scene: "9x16", size: middle, surface: surface, source: .item("9x16")),
                    Shot(group: "pixels", scene: "bright", size: small, surface: surface, source: .item("bright")),
                    Shot(
                        group: "pixels", scene: "help", size: small, surface: surface, source: .demo,
                        steps: [.key("?"), .wait(.milliseconds(700))]),
                    Shot(
                        group: "pixels", scene: "paused", size: small, surface: surface, source: .demo,
                        steps: [.key(" "), .wait(.seconds(1))]),
                ]
        }
    }

    private static var sheets: [Shot] {
        let keys = [
            ("help", "?"), ("menu", "M"), ("trust", "T"), ("diagnostics", "I"), ("places", "p"), ("hide", "X"),
        ]
        let ordinary = keys.flatMap { name, key in
            [tiny, small, middle, large].map {
                Shot(
                    group: "sheet", scene: name, size: $0, source: .demo, steps: [.key(key), .wait(.milliseconds(500))])
            }
        }
        let fewer = ["16", "mono"].flatMap { color in
            [("help", "?"), ("menu", "M")].map { name, key in
                Shot(
                    group: "sheet", scene: name, size: small, color: color, source: .demo,
                    steps: [.key(key), .key(down), .wait(.milliseconds(500))])
            }
        }
        let others = [
            Shot(
                group: "sheet", scene: "menu-light", size: small, source: .item("bright"), isLight: true,
                steps: [.key("M"), .key(down), .wait(.milliseconds(500))]),
            Shot(
                group: "sheet", scene: "help-scrolled", size: small, source: .demo,
                steps: [.key("?"), .key("\u{1B}[6~"), .wait(.milliseconds(500))]),
        ]
        return ordinary + fewer + others
    }

    private static var states: [Shot] {
        let scenes: [(String, [Shot.Step])] = [
            ("paused", [.key(" "), .wait(.seconds(1))]),
            ("seeking", [.key(right), .wait(.milliseconds(150))]),
            ("liked", [.key("l"), .wait(.milliseconds(250))]),
            ("muted", [.key("m"), .wait(.milliseconds(300))]),
            ("quieter", [.key("-"), .wait(.milliseconds(300))]),
            ("faster", [.key("]"), .wait(.milliseconds(300))]),
            ("comments", [.key("c"), .wait(.milliseconds(300))]),
            ("toast", [.key("y"), .wait(.milliseconds(300))]),
            ("overlay-hidden", [.key("x"), .wait(.milliseconds(300))]),
            ("caption", [.key("e"), .wait(.milliseconds(500))]),
            ("turned-fit", [.key("z"), .wait(.milliseconds(800))]),
        ]
        return scenes.map { Shot(group: "state", scene: $0, size: small, source: .demo, steps: $1) }
            + scenes.prefix(3).map {
                Shot(group: "state", scene: $0, size: middle, source: .item("bright"), steps: $1)
            }
            + [small, middle].map {
                Shot(
                    group: "state", scene: "scrubbing", size: $0, source: .demo,
                    steps: [
                        .mouse(.press, column: $0.columns / 4, row: $0.rows),
                        .mouse(.drag, column: $0.columns / 2, row: $0.rows), .wait(.milliseconds(500)),
                    ])
            }
            + ["16", "mono"].map {
                Shot(
                    group: "state", scene: "liked", size: small, color: $0, source: .demo,
                    steps: [.key("l"), .wait(.milliseconds(250))])
            }
            + [
                Shot(
                    group: "state", scene: "first-run", size: small, source: .demo, plays: false,
                    steps: [.event("first_frame", times: 1)])
            ]
    }

    private static var waits: [Shot] {
        [("silent", tiny), ("silent", small), ("slow", small), ("slow", middle)].map { name, size in
            Shot(
                group: "wait", scene: name, size: size, source: .served(name), plays: false, steps: [.wait(.seconds(3))]
            )
        }
    }

    private static var errors: [Shot] {
        ["empty", "html", "cut-off", "noise-file", "missing", "refused"].map {
            Shot(
                group: "error", scene: $0, size: small, source: .broken($0), plays: false,
                steps: [.event("error", times: 1), .wait(.milliseconds(400))])
        }
            + [tiny, middle, large].map {
                Shot(
                    group: "error", scene: "html", size: $0, source: .broken("html"), plays: false,
                    steps: [.event("error", times: 1), .wait(.milliseconds(400))])
            }
            + ["16", "mono"].map {
                Shot(
                    group: "error", scene: "html", size: small, color: $0, source: .broken("html"), plays: false,
                    steps: [.event("error", times: 1), .wait(.milliseconds(400))])
            }
    }

    /// Between two pages, and at the feed's end.
    private static var motions: [Shot] {
        let looks = [
            (small, "half", "truecolor"), (middle, "half", "truecolor"), (large, "half", "truecolor"),
            (small, "half", "16"), (middle, "quadrant", "truecolor"),
            (small, "ascii", "mono"),
        ]
        return looks.map { size, surface, color in
            Shot(
                group: "motion", scene: "slide", size: size, surface: surface, color: color, source: .item("1x1"),
                steps: [.key(down), .event("page", times: 1), .wait(.milliseconds(100))], isInMotion: true)
        }
            + [tiny, small, middle].map {
                Shot(
                    group: "motion", scene: "end", size: $0, source: .demo,
                    steps: [
                        .key("G"), .event("settled", times: 1), .wait(.seconds(1)), .key(down),
                        .wait(.milliseconds(150)),
                    ])
            }
    }

    /// Files without a manifest.
    private static var folders: [Shot] {
        [tiny, small, middle].map { Shot(group: "folder", scene: "file", size: $0, source: .folder) }
            + [Shot(group: "folder", scene: "third-file", size: small, source: .folder, arguments: ["--start", "2"])]
    }
}
