import Bytes
import Foundation
import Model
import TestSupport
import Testing
import Wire

@testable import Player

/// Which stills are made, and in which order.
struct StillPlanTests {
    private func plan(_ wishes: [StillPlan.Wish]) -> StillPlan {
        var plan = StillPlan()
        plan.setWishes(wishes)
        return plan
    }

    private func wishes(_ offsets: ClosedRange<Int>, hasThumbnail: Bool = true) -> [StillPlan.Wish] {
        offsets.map { StillPlan.Wish(item: "\($0)", offset: $0, hasThumbnail: hasThumbnail) }
    }

    /// Makes everything that is to be made; the jobs in order.
    private func run(
        _ plan: inout StillPlan, furthest: Int = .max, covered: Set<String> = [], failing: Set<Still.Kind> = []
    ) -> [StillPlan.Job] {
        var (jobs, made) = ([StillPlan.Job](), [Item.ID: Still.Kind]())
        while let job = plan.next(
            furthest: furthest, has: { made[$0] }, frozenTime: { _ in nil }, isCovered: { covered.contains($0) })
        {
            jobs.append(job)
            if failing.contains(job.kind) {
                plan.fail(job)
            } else {
                plan.finish(job)
                made[job.item] = job.kind
            }
            guard jobs.count < 1_000 else { break }
        }
        return jobs
    }

    @Test func nearestStillsComeFirstAheadBeforeBehind() {
        var plan = plan(wishes(-30...30))
        let jobs = run(&plan)
        #expect(jobs.prefix(10).map(\.item) == ["0", "1", "2", "3", "-1", "4", "5", "-2", "6", "7"])
        #expect(Set(jobs.map(\.item)) == Set((-8...20).map { "\($0)" }))
        #expect(jobs.allSatisfy { $0.kind == .thumbnail && $0.time == 0 })
    }

    @Test func gridTilesGetStillsAtAnyDistance() {
        for hasThumbnail in [true, false] {
            var plan = plan(
                (-30...30).map {
                    StillPlan.Wish(item: "\($0)", offset: $0, hasThumbnail: hasThumbnail, isInView: true)
                })
            let jobs = run(&plan, furthest: 2)
            #expect(jobs.prefix(5).map(\.item) == ["0", "1", "2", "3", "-1"])
            #expect(Set(jobs.map(\.item)).count == 61)
            #expect(jobs.allSatisfy { $0.kind == (hasThumbnail ? .thumbnail : .firstFrame) })
        }
    }

    @Test func withoutAThumbnailTheFirstFrameIsTaken() {
        var plan = plan(wishes(-30...30, hasThumbnail: false))
        let jobs = run(&plan)
        #expect(Set(jobs.map(\.item)) == Set((-4...8).map { "\($0)" }))
        #expect(jobs.allSatisfy { $0.kind == .firstFrame && $0.time == 100_000 })
    }

    @Test func brokenThumbnailFallsBackToTheFirstFrameWithoutRetry() {
        var plan = plan(wishes(0...1))
        let kinds = run(&plan, failing: [.thumbnail]).map(\.kind)
        #expect(kinds == [.thumbnail, .firstFrame, .thumbnail, .firstFrame])
        var hopeless = self.plan(wishes(0...1))
        let first = run(&hopeless, failing: [.thumbnail, .firstFrame])
        let second = run(&hopeless, failing: [.thumbnail, .firstFrame])
        #expect(first.count == 4 && second == [])
        // Away and near again: the server may have it now.
        hopeless.setWishes([])
        hopeless.setWishes(wishes(0...1))
        let again = run(&hopeless)
        #expect(again.count == 2)
    }

    @Test func coveredOrDistantItemsGetNoStill() {
        var plan = plan(wishes(-8...20))
        let none = run(&plan, furthest: 0, covered: ["0"])
        let near = run(&plan, furthest: 1, covered: ["1"])
        #expect(none == [] && near.map(\.item) == ["0", "-1"])
    }

    @Test func atMostTwoStillsAreMadeAtOnceAndNoneTwice() {
        var plan = plan(wishes(0...9))
        func next() -> StillPlan.Job? {
            plan.next(furthest: .max, has: { _ in nil }, frozenTime: { _ in nil }, isCovered: { _ in false })
        }
        let (one, two) = (next(), next())
        let three = next()
        #expect([one?.item, two?.item] == ["0", "1"] && three == nil)
        if let one { plan.finish(one) }
        // The plan has not been informed of a still yet.
        let again = next()
        #expect(again?.item == "0")
    }

    @Test func blankFrozenFrameIsRetriedLaterInTheClip() throws {
        var plan = plan(wishes(0...0))
        plan.retry("0", after: 1_000_000)
        var times: [Microseconds] = []
        while let job = plan.next(
            furthest: 0, has: { _ in .thumbnail }, frozenTime: { _ in nil }, isCovered: { _ in false })
        {
            #expect(job.kind == .frozen)
            times.append(job.time)
            plan.refuseBlank(job)
        }
        let expected = (1...8).map { Microseconds(1_000_000 + $0 * 150_000) }
        #expect(times == expected)
    }

    /// The surface has another size now.
    @Test func frozenFrameIsRemadeAtItsPosition() {
        var plan = plan(wishes(0...0))
        let job = plan.next(furthest: 0, has: { _ in nil }, frozenTime: { _ in 700_000 }, isCovered: { _ in false })
        #expect(job == StillPlan.Job(item: "0", kind: .frozen, time: 700_000))
    }
}

/// What is kept of stills.
struct StillStoreTests {
    private func still(_ kind: Still.Kind, generation: UInt32 = 1, side: Int = 2) -> Still {
        Still(
            kind: kind,
            picture: Picture(
                size: PixelSize(width: side, height: side), pixels: Array(repeating: 0xFFFFFF, count: side * side)),
            generation: generation, time: 0)
    }

    @Test func bestStillStaysUnlessTheSurfaceChanges() {
        var store = StillStore()
        for kind in Still.Kind.allCases { store.add(still(kind), of: "a") }
        #expect(store.still(of: "a", for: 1)?.still.kind == .frozen)
        let isKept = store.add(still(.thumbnail), of: "a")
        #expect(!isKept)
        #expect(store.still(of: "a", for: 2) == nil && store.anyStill(of: "a")?.kind == .frozen)
        let isNewKept = store.add(still(.thumbnail, generation: 2), of: "a")
        #expect(isNewKept)
        #expect(store.still(of: "a", for: 2)?.still.kind == .thumbnail)
    }

    @Test func stillNumbersAreUnique() {
        var store = StillStore()
        store.add(still(.thumbnail), of: "a")
        let first = store.still(of: "a", for: 1)?.number
        store.add(still(.thumbnail), of: "a")
        #expect(first != nil && store.still(of: "a", for: 1)?.number != first)
    }

    @Test(arguments: [(Still.Kind.thumbnail, 150), (.firstFrame, 50), (.frozen, 50)])
    func leastRecentlyViewedStillsAreEvictedFirst(kind: Still.Kind, most: Int) {
        var store = StillStore()
        for number in 0..<most { store.add(still(kind), of: "\(number)") }
        store.noteLook(at: "0")
        store.add(still(kind), of: "new")
        #expect(store.count == most)
        #expect(store.anyStill(of: "0") != nil && store.anyStill(of: "new") != nil && store.anyStill(of: "1") == nil)
    }

    @Test func bytesAreLimitedToo() {
        var store = StillStore()
        // 4 MB each: seven are 28 MB.
        for number in 0..<20 { store.add(still(.thumbnail, side: 1_000), of: "\(number)") }
        #expect(store.count == 7 && store.anyStill(of: "19") != nil && store.anyStill(of: "12") == nil)
        // Other kinds have limits of their own.
        for number in 0..<5 { store.add(still(.frozen), of: "f\(number)") }
        #expect(store.count == 12)
    }

    @Test func nearlyEmptyPictureIsBlank() {
        func isBlank(_ pixels: (Int) -> UInt32) -> Bool {
            Picture(size: PixelSize(width: 8, height: 8), pixels: (0..<64).map(pixels)).withView(\.isBlank)
        }
        #expect(isBlank { _ in 0 } && isBlank { _ in 0x0F0F0F })
        #expect(!isBlank { _ in 0x000010 } && !isBlank { _ in 0x100000 })
        // Three of sixteen samples, then four.
        #expect(isBlank { $0 / 8 < 2 && $0 % 8 < 6 ? 0xFFFFFF : 0 })
        #expect(!isBlank { $0 / 8 < 2 ? 0xFFFFFF : 0 })
        let isEmptyBlank = Picture(size: PixelSize(width: 0, height: 0), pixels: []).withView(\.isBlank)
        #expect(isEmptyBlank)
    }
}

struct BlurHashTests {
    /// A hash of a single term is its mean colour.
    @Test func hashOfOneTermIsOneColour() throws {
        let hash = try #require(BlurHash("00TI:j"))
        #expect((hash.columns, hash.rows) == (1, 1))
        let picture = hash.picture(PixelSize(width: 3, height: 2))
        #expect(Set(picture.pixels).count == 1 && picture.pixels.count == 6)
    }

    /// The hash of a picture that is red at the left and blue at the right, made by the algorithm's description.
    @Test func blurHashKeepsColoursInPlace() throws {
        let light = (0..<8).map { x in x < 4 ? (0.8, 0.5, 0.0) : (0.0, 0.05, 0.9) }
        func sum(_ part: (Int) -> Double) -> Double { (0..<8).reduce(0) { $0 + part($1) } / 8 }
        func term(_ wave: Int) -> [Double] {
            func basis(_ x: Int) -> Double { cos(.pi * Double(wave) * (Double(x) + 0.5) / 8) * (wave == 0 ? 1 : 2) }
            return [sum { light[$0].0 * basis($0) }, sum { light[$0].1 * basis($0) }, sum { light[$0].2 * basis($0) }]
        }
        let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~")
        func text(_ value: Int, _ count: Int) -> String {
            String((0..<count).map { digits[value / Int(pow(83, Double(count - 1 - $0))) % 83] })
        }
        let mean = term(0).reduce(0) { $0 << 8 | Int((pow($1, 1 / 2.4) * 1.055 - 0.055) * 255 + 0.5) }
        // The largest term that can be written is 83/166.
        let most = 83.0 / 166
        let quantised = term(1).reduce(0) { code, value in
            code * 19 + min(max(Int(9.5 + 9 * (value < 0 ? -1 : 1) * abs(value / most).squareRoot()), 0), 18)
        }
        let hash = try #require(BlurHash(text(1, 1) + text(82, 1) + text(mean, 4) + text(quantised, 2)))
        #expect((hash.columns, hash.rows) == (2, 1))
        let pixels = hash.picture(PixelSize(width: 8, height: 2)).pixels
        let (left, right) = (pixels[0], pixels[7])
        #expect(pixels.count == 16 && pixels[8] == left)
        #expect(left >> 16 > 180 && left & 0xFF < 90 && right >> 16 < 90 && right & 0xFF > 180)
        #expect(left >> 8 & 0xFF > 150 && right >> 8 & 0xFF < 100)
    }

    @Test(arguments: [
        "", "L", "LEHV6n", "LEHV6nWB2yk8pyo0adR*.7kCMdnjX", "LEHV6nWB2yk8pyo0adR*.7kCMdn\"", "00~~~~",
        String(repeating: "~", count: 500),
    ])
    func rejectsInvalidHashes(text: String) { #expect(BlurHash(text) == nil) }
}

/// Stills in the hands of a pool.
@Suite(.serialized) @MainActor struct StillMakerTests {
    private func item(_ id: String, hasThumbnail: Bool = true) -> Item {
        Item(id: id, url: "file:///\(id)", thumbnail: hasThumbnail ? "file:///\(id).jpg" : nil)
    }

    private func pixel(_ stage: Stage, _ id: String) -> UInt32? {
        stage.pool.withPicture(of: id) { view, identity in identity.isStill ? view.pixels[0] & 0xFF_FFFF : nil } ?? nil
    }

    private func stage(
        _ answer: @escaping @Sendable (String, Microseconds) -> ScriptedDecoder.StillAnswer
    ) -> Stage {
        var script = ScriptedDecoder()
        script.still = answer
        return Stage(audio: TestOutput(), decoders: [script])
    }

    /// Runs the loop with work ahead until `done`.
    private func run(_ stage: Stage, _ item: Item, until done: (Stage) -> Bool) -> Bool {
        stage.run(item) { stage in
            stage.openAhead()
            return done(stage)
        }
    }

    @Test func pagesNearHaveStillsAndTheOneThatPlaysNeedsNone() {
        let stage = stage { url, time in url.hasSuffix("1.jpg") ? .pixels(0x111111) : .pixels(0x222222) }
        defer { stage.pool.close() }
        let items = [item("0"), item("1"), item("2", hasThumbnail: false)]
        stage.play(items[0])
        stage.wantStills(items)
        let isMade = run(stage, items[0]) { pixel($0, "1") != nil && pixel($0, "2") != nil }
        #expect(isMade)
        #expect(pixel(stage, "1") == 0x111111 && pixel(stage, "2") == 0x222222 && pixel(stage, "0") == nil)
        // The page knows the shape of the picture before its clip is open.
        #expect(stage.reports.contains(.picture(PixelSize(width: 64, height: 48))))
        // Nothing is left over.
        let over = run(stage, items[0]) { $0.position() > .seconds(1) && $0.pool.decodersInUse.count == 1 }
        #expect(over)
        let made = stage.events.all("still").compactMap { if case .still(let item, _, _, _) = $0 { item } else { nil } }
        #expect(made == ["1", "2"])
    }

    /// Of a feed, or of the file itself.
    @Test(arguments: [true, false]) func audioOnlyItemShowsItsCover(hasThumbnail: Bool) {
        var script = ScriptedDecoder()
        script.hasVideo = false
        script.still = { url, _ in url.hasSuffix(".jpg") ? .pixels(0x111111) : .pixels(0x222222) }
        let stage = Stage(audio: TestOutput(), decoders: [script])
        defer { stage.pool.close() }
        let item = item("0", hasThumbnail: hasThumbnail)
        stage.play(item)
        stage.wantStills([item])
        let isMade = run(stage, item) { pixel($0, "0") != nil }
        #expect(isMade && pixel(stage, "0") == (hasThumbnail ? 0x111111 : 0x222222))
        #expect(stage.reports.contains(.picture(PixelSize(width: 64, height: 48))))
    }

    @Test(arguments: ["silence", "end", "another", "none", "damaged"])
    func failedStillBlocksNoOther(fault: String) {
        let stage = stage { url, _ in
            guard url.hasSuffix("1.jpg") || url.hasSuffix("/1") else { return .pixels(0x333333) }
            return switch fault {
            case "silence": .silence
            case "end": .end
            case "another": .another
            case "none": .none("no picture")
            default: .damaged(0)
            }
        }
        defer { stage.pool.close() }
        let items = [item("0"), item("1"), item("2"), item("3")]
        stage.play(items[0])
        stage.wantStills(items)
        let made = run(stage, items[0]) { stage in
            stage.events.all("still").count >= 4 && pixel(stage, "2") != nil && pixel(stage, "3") != nil
        }
        #expect(made)
        #expect(pixel(stage, "1") == nil)
        // Its thumbnail and its first frame failed, each once.
        _ = stage.run(items[0], limit: .seconds(5)) { stage in
            stage.openAhead()
            return false
        }
        let failures = stage.events.all("still").filter { event in
            if case .still("1", _, _, let why) = event { why != nil } else { false }
        }
        #expect(failures.count == 2)
        #expect(stage.events.all("error").isEmpty && stage.notices.isEmpty)
    }

    /// A server can send a text in place of a picture, and the picture later. A clip's own player judges its bytes.
    @Test(arguments: [("none", true), ("damaged", true), ("silence", false), ("end", false)])
    func bytesOfAThumbnailThatIsNoPictureAreDiscarded(fault: String, isDiscarded: Bool) {
        var script = ScriptedDecoder()
        script.still = { url, _ in
            guard url.hasSuffix("/1.jpg") || url.hasSuffix("/1") else { return .pixels(0x333333) }
            return switch fault {
            case "none": .none("no picture")
            case "damaged": .damaged(0)
            case "silence": .silence
            default: .end
            }
        }
        let provider = MeteredProvider(size: 1_000, arrived: 1_000)
        let stage = Stage(audio: TestOutput(), network: provider, decoders: [script])
        defer { stage.pool.close() }
        let items = [
            item("0", hasThumbnail: false), Item(id: "1", url: "http://test/1", thumbnail: "http://test/1.jpg"),
        ]
        stage.play(items[0])
        stage.wantStills(items)
        let failed = run(stage, items[0]) { stage in
            stage.events.all("still").count { if case .still("1", _, _, _?) = $0 { true } else { false } } == 2
        }
        #expect(failed)
        #expect(provider.discarded.map(\.url) == (isDiscarded ? ["http://test/1.jpg"] : []))
    }

    /// What was last seen stays when the player goes. A scripted picture's pixels are its number.
    @Test func closedPlayersPageKeepsItsLastPicture() throws {
        let stage = stage { _, _ in .silence }
        defer { stage.pool.close() }
        let items = [item("0"), item("1")]
        stage.play(items[0])
        stage.wantStills(items)
        let played = run(stage, items[0]) { $0.position() >= .seconds(1) }
        let last = stage.pool.withPicture(of: "0") { view, _ in view.pixels[0] & 0xFF_FFFF }
        stage.play(items[1])
        stage.keepWarm([items[1]])
        #expect(played && last != nil && pixel(stage, "0") == last)
    }

    /// The scripted clip's first pictures are blank.
    @Test func blankPictureIsRetriedLater() throws {
        let stage = stage { url, time in
            url == "file:///0" ? .pixels(time < 800_000 ? 0 : 0x808080) : .pixels(1)
        }
        defer { stage.pool.close() }
        let items = [item("0", hasThumbnail: false), item("1")]
        stage.play(items[0])
        stage.wantStills(items)
        let played = run(stage, items[0]) { $0.position() >= .milliseconds(200) }
        stage.play(items[1])
        stage.keepWarm([items[1]])
        stage.wantStills(items, current: 1)
        #expect(pixel(stage, "0") == nil)
        let made = run(stage, items[1]) { pixel($0, "0") == 0x808080 }
        #expect(played && made)
    }

    @Test func newSurfaceGetsNewStills() {
        let stage = stage { _, _ in .pixels(0x444444) }
        defer { stage.pool.close() }
        let items = [item("0"), item("1")]
        stage.play(items[0])
        stage.wantStills(items)
        let made = run(stage, items[0]) { pixel($0, "1") != nil }
        #expect(made)
        _ = stage.pool.setSurface(SurfaceRequest(generation: 0, width: 32, height: 24, fit: .fill), now: stage.now)
        #expect(pixel(stage, "1") == nil)
        let again = run(stage, items[0]) { pixel($0, "1") != nil }
        #expect(again)
        #expect(stage.pool.withPicture(of: "1") { view, _ in view.size } == PixelSize(width: 32, height: 24))
    }

    /// The page forgets the shapes of items that are far away.
    @Test func stillSizeIsReportedAtOnceWhenItsPageComesNear() {
        let stage = stage { _, _ in .pixels(0x555555) }
        defer { stage.pool.close() }
        let items = [item("0"), item("1")]
        stage.play(items[0])
        stage.wantStills(items)
        let made = run(stage, items[0]) { pixel($0, "1") != nil }
        stage.reports = []
        stage.wantStills(items)
        #expect(made && stage.reports == [.picture(PixelSize(width: 64, height: 48))])
    }

    @Test func playerReportsItsPictureSizeInsteadOfTheStill() {
        let stage = stage { _, _ in .pixels(0x666666) }
        defer { stage.pool.close() }
        let items = [item("0"), item("1")]
        stage.play(items[0])
        stage.wantStills(items)
        let made = run(stage, items[0]) { pixel($0, "1") != nil }
        stage.keepWarm([items[1]])
        let opened = run(stage, items[0]) { $0.pool.pictureIdentity(of: "1")?.isStill == false }
        stage.reports = []
        stage.wantStills(items)
        #expect(made && opened && stage.reports.isEmpty)
    }

    /// It is asked after every picture.
    @Test func stillsAreLookedForAgainOnlyWhereSomeCanBeWanting() {
        let options = PlayerPool.Options(decoderPath: Stage.decoderPath, spawn: { throw WireError.silent })
        let decoders = DecoderPool(options: options, bytes: .files, wake: {})
        let maker = StillMaker(decoders: decoders, retention: .lasting, cache: nil)
        var coverage = StillMaker.Coverage(furthest: .max, changes: 0, isLate: false)
        /// The items that were looked at.
        func looks() -> [Item.ID] {
            var seen: [Item.ID] = []
            maker.begin(
                coverage,
                isCovered: {
                    seen.append($0)
                    return true
                }, now: .zero)
            return seen
        }
        let items = [(item: item("0"), offset: 0), (item: item("1"), offset: 1)]
        maker.setSurface(SurfaceRequest(generation: 1, width: 4, height: 4, fit: .fill))
        maker.want(items)
        #expect(looks() == ["0", "1"] && looks() == [])
        coverage.changes += 1
        #expect(looks() == ["0", "1"] && looks() == [])
        coverage.isLate = true
        #expect(looks() == ["0", "1"] && looks() == [])
        coverage.furthest = 0
        #expect(looks() == ["0"] && looks() == [])
        maker.want(items)
        #expect(looks() == ["0"] && looks() == [])
        maker.setSurface(SurfaceRequest(generation: 2, width: 4, height: 4, fit: .fill))
        #expect(looks() == ["0"] && looks() == [])
        let picture = Picture(size: PixelSize(width: 1, height: 1), pixels: [0])
        maker.keep(Still(kind: .frozen, picture: picture, generation: 2, time: 0), of: "0")
        #expect(looks() == ["0"] && looks() == [])
    }

    @Test func blurHashIsShownUntilABetterStillExists() {
        let stage = stage { _, _ in .none("no") }
        defer { stage.pool.close() }
        var items = [item("0"), item("1")]
        items[1].blurHash = "00TI:j"
        stage.play(items[0])
        stage.wantStills(items)
        #expect(pixel(stage, "1") != nil)
    }
}
