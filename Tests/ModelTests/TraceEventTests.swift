import Testing

@testable import Model

/// The names of the trace's events, and the order of their fields, which scripts rely on.
@Suite struct TraceEventTests {
    private static let fetch = TraceEvent.FetchFigures(
        item: "v1", url: "https://h/1.ts", from: 0, to: nil, got: 100, source: "network", status: 206,
        took: .milliseconds(12))

    private static let events: [(TraceEvent, String)] = [
        (
            .start(version: "1", size: GridSize(columns: 80, rows: 24), surface: "half", color: "256"),
            "start version=text cols=integer rows=integer surface=text color=text"
        ),
        (.feed(source: "s", items: 3, next: "n"), "feed source=text items=integer next=text"),
        (.feed(source: "s", items: 3, next: nil), "feed source=text items=integer next=null"),
        (.key("space"), "key key=text"),
        (.page(item: "v1", from: 0, to: 1), "page item from=integer to=integer"),
        (.settled(item: "v1", index: 1), "settled item index=integer"),
        (
            .warm(item: "v1", index: 1, took: .zero, variant: nil), "warm item index=integer ms=number variant=null"
        ),
        (.warmFailed(item: "v1", index: nil, why: "w"), "warm_failed item index=null why=text"),
        (.evict(item: "v1", index: 1, why: "w"), "evict item index=integer why=text"),
        (.claim(item: "v1", index: 1, how: .warm), "claim item index=integer how=text"),
        (
            .firstFrame(item: "v1", pts: .zero, sincePage: .zero, how: .cold),
            "first_frame item pts=number since_page_ms=number how=text"
        ),
        (
            .picture(item: "v1", pts: .zero, bytes: 1, cells: 2, took: .zero),
            "picture item pts=number bytes=integer cells=integer ms=number"
        ),
        (
            .picture(item: nil, pts: .zero, bytes: 1, cells: 2, took: .zero),
            "picture pts=number bytes=integer cells=integer ms=number"
        ),
        (.stall(item: "v1"), "stall item ms=number"),
        (.resume(item: "v1", lasted: .zero), "resume item ms=number"),
        (
            .watchdog(item: "v1", check: "clock", attempt: 0, why: "w"),
            "watchdog item check=text attempt=integer why=text"
        ),
        (
            .recover(item: "v1", check: "clock", attempt: 1, why: "w"),
            "recover item check=text attempt=integer why=text"
        ),
        (
            .gaveUp(item: "v1", check: "clock", attempt: 3, why: "w"),
            "gave_up item check=text attempt=integer why=text"
        ),
        (
            .worker(item: nil, pid: 7, state: .spawn, status: nil), "worker pid=integer state=text status=null"
        ),
        (
            .worker(item: "v1", pid: 7, state: .exit, status: "exit 0"),
            "worker item pid=integer state=text status=text"
        ),
        (.audio(owner: "v1", state: .playing, drift: .zero), "audio item owner=text state=text drift_ms=number"),
        (.audio(owner: "v1", state: .silent, drift: nil), "audio item owner=text state=text drift_ms=null"),
        (
            .fetch(fetch),
            "fetch item url=text from=integer to=null got=integer source=text status=integer ms=number"
        ),
        (.engage(item: "v1", what: "view"), "engage item what=text"),
        (
            .link(roundTrip: .zero, inFlight: 1, fps: 25, quality: 1),
            "link rtt_ms=number in_flight=integer fps=number quality=number"
        ),
        (.error(what: "play", why: "w"), "error what=text why=text"),
        (.error(item: "v1", what: "play", why: "w"), "error item what=text why=text"),
        (.end(status: 130), "end status=integer"),
    ]

    @Test(arguments: events) func eventHasTheNameAndTheFieldsOfTheContract(event: TraceEvent, line: String) {
        let (name, item, fields) = event.encoding
        let words = fields.map { key, value in
            switch value {
            case .integer: "\(key)=integer"
            case .number: "\(key)=number"
            case .text: "\(key)=text"
            case .flag: "\(key)=flag"
            case .null: "\(key)=null"
            }
        }
        #expect(([name] + (item == nil ? [] : ["item"]) + words).joined(separator: " ") == line)
    }

    @Test func timesAreSecondsAndMillisecondsAsTheFieldsSay() {
        let event = TraceEvent.firstFrame(
            item: "v1", pts: .milliseconds(1_500), sincePage: .microseconds(38_250), how: .resume)
        let fields = event.encoding.fields.map(\.value)
        #expect(fields == [.number(1.5), .number(38.25), .text("resume")])
    }
}
