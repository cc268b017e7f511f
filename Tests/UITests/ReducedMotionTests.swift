import Model
import Testing

@testable import UI

/// Under reduced motion nothing moves by itself but pictures, the scrubber and clocks: whatever is in view stays as it
/// is until it goes.
struct ReducedMotionTests {
    /// What a page is brought into. Its clip is `v1`.
    enum Case: String, CaseIterable, Sendable {
        case playing, paused, liked, disliked, seeking, turning, turningBack, loading, delayed, stalled, begins, failed,
            notice
        case twoToasts, hint, refused, help, menu, comments, message, find, grid, resized, dragged, pulled, ended

        func bring(_ page: Page) {
            if ![.loading, .delayed, .begins].contains(self) {
                page.play()
                page.wait(.seconds(3))
            }
            switch self {
            case .playing: break
            case .paused: page.type(" ")
            case .liked:
                page.mouse(.press(.left), 20, 6)
                page.mouse(.release(.left), 20, 6)
                page.mouse(.press(.left), 20, 6)
                page.mouse(.release(.left), 20, 6)
            case .disliked: page.type("d")
            case .seeking: page.type("5")
            case .turning: page.press(.down)
            case .turningBack:
                page.press(.down)
                page.press(.up)
            case .loading: page.wait(.milliseconds(200))
            case .delayed:
                page.send(
                    .player("v1", .waits(ClipWait(place: "video.example", isRemote: true, share: 0.4, speed: 9_000))))
                page.wait(.milliseconds(400))
            case .stalled: page.send(.player("v1", .stalled(true)))
            case .begins:
                page.wait(.milliseconds(300))
                page.play()
            case .failed: page.send(.player("v1", .failed("cut off", advice: "fetch it again")))
            case .notice: page.send(.notice("an important notice, which is long enough to fill a whole line by itself"))
            case .twoToasts: "[l-".forEach { page.type($0) }
            case .hint: page.press(.function(9))
            case .refused: page.press(.down)
            case .help: page.type("?")
            case .menu: page.type("M")
            case .comments:
                page.send(.service(takesComments: true))
                page.type("c")
            case .message:
                page.send(.service(takesComments: true))
                page.type(":")
            case .find:
                page.type("/")
                page.type("a")
            case .grid: page.state.feed.grid = StillGrid(chosen: 1)
            case .resized: page.send(.resized(GridSize(columns: 70, rows: 20)))
            case .dragged:
                page.mouse(.press(.left), 20, 20)
                page.mouse(.drag, 20, 12)
                page.mouse(.release(.left), 20, 12)
            case .pulled:
                page.mouse(.press(.left), 20, 4)
                page.mouse(.drag, 20, 14)
                page.mouse(.release(.left), 20, 14)
            case .ended: page.send(.player("v1", .ended))
            }
        }
    }

    /// When the page looks different than just before, in three seconds: the scrubber and its time left out.
    private func changes(_ page: Page) -> [Duration] {
        var last = look(page)
        var changes: [Duration] = []
        let begin = page.now
        while page.now < begin + .seconds(3) {
            page.wait(.milliseconds(25))
            let next = look(page)
            if next != last { changes.append(page.now - begin) }
            last = next
        }
        return changes
    }

    private struct Look: Equatable {
        var cells: [Cell]
        var pages: [Double]
    }

    private func look(_ page: Page) -> Look {
        let scene = draw(page.state, now: page.now)
        let size = scene.overlay.size
        var cells: [Cell] = []
        cells.reserveCapacity(size.cells)
        for row in 0..<size.rows - 2 { for column in 0..<size.columns { cells.append(scene.overlay[column, row]) } }
        return Look(cells: cells, pages: scene.pages.flatMap { [$0.top, $0.cover] })
    }

    private func page(_ size: (Int, Int), isReduced: Bool, hasGate: Bool) -> Page {
        var options = Options()
        (options.reducedMotion, options.hasGate) = (isReduced, hasGate)
        return Page(columns: size.0, rows: size.1, options: options)
    }

    /// What appears or goes does so at once. Two changes in a row would be a motion.
    @Test(arguments: Case.allCases, [(80, 24), (40, 12)]) func nothingMoves(_ state: Case, size: (Int, Int)) {
        let page = page(size, isReduced: true, hasGate: state == .refused)
        state.bring(page)
        let changes = changes(page)
        #expect(changes.count <= 4, "\(state): \(changes)")
        for (first, next) in zip(changes, changes.dropFirst()) {
            #expect(next - first >= .milliseconds(100), "\(state): \(changes)")
        }
    }

    /// The same sees each motion where motion is not reduced.
    @Test(arguments: [
        Case.playing, .paused, .liked, .turning, .loading, .stalled, .begins, .notice, .twoToasts, .dragged,
    ])
    func elsewhereItMoves(_ state: Case) {
        let page = page((80, 24), isReduced: false, hasGate: false)
        state.bring(page)
        let changes = changes(page)
        #expect(zip(changes, changes.dropFirst()).contains { $1 - $0 < .milliseconds(200) }, "\(state): \(changes)")
    }
}
