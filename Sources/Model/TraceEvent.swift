/// An event of the trace (`--trace FILE`), with its fields. A value.
///
/// Scripts rely on the names and fields. `encoding` alone decides how events are written;
/// `LogEntry` decides which of them go to the log. A case costs almost nothing until it is encoded,
/// so a player can report every frame even without a listener.
public enum TraceEvent: Sendable, Equatable {
    /// flick took over the terminal.
    case start(version: String, size: GridSize, surface: String, color: String)
    /// A page of a feed was loaded. `next` is nil at the end of the feed.
    case feed(source: String, items: Int, next: String?)
    /// A key or a mouse button was read.
    case key(String)
    /// The pager committed to another page.
    case page(item: String?, from: Int, to: Int)
    /// The snap to a page ended.
    case settled(item: String?, index: Int)
    /// A player was opened ahead of need, could not be opened, or was discarded.
    case warm(item: String, index: Int?, took: Duration, variant: String?)
    case warmFailed(item: String, index: Int?, why: String)
    case evict(item: String, index: Int?, why: String)
    /// A player was assigned to the current page.
    case claim(item: String, index: Int?, how: ClaimKind)
    /// The first picture of a page is on the terminal. `pts` is on the clip's timeline.
    case firstFrame(item: String, pts: Duration, sincePage: Duration, how: ClaimKind)
    /// A picture is on the terminal; `took` is the time from drawing it to its
    /// last byte. `item` is nil for `flick preview`.
    case picture(item: String?, pts: Duration, bytes: Int, cells: Int, took: Duration)
    /// Frames or audio ran out; after `lasted`, enough was buffered to continue.
    case stall(item: String)
    case resume(item: String, lasted: Duration)
    /// One of the watchdog's checks failed; the item's decoder was replaced; the item failed for good.
    case watchdog(item: String, check: String, attempt: Int, why: String)
    case recover(item: String, check: String, attempt: Int, why: String)
    case gaveUp(item: String, check: String, attempt: Int, why: String)
    /// The life of a decoder process. `status` says in words how it ended.
    case worker(item: String?, pid: Int, state: WorkerState, status: String?)
    /// The sound of `owner` began, ended or was measured against the picture; positive if the picture is late.
    case audio(owner: String, state: SoundState, drift: Duration?)
    /// Bytes came from the network or the cache.
    case fetch(FetchFigures)
    /// Something that counts as engagement.
    case engage(item: String, what: String)
    /// How well the terminal's connection keeps up, once a second. `quality` is 0 … 1.
    case link(roundTrip: Duration, inFlight: Int, fps: Double, quality: Double)
    /// A still was made for an item without video, of `kind`; or none could be made, and `why`.
    case still(item: String, kind: String, took: Duration, why: String? = nil)
    /// Anything that was shown to the user as an error.
    case error(item: String? = nil, what: String, why: String)
    /// flick gave the terminal back.
    case end(status: Int)

    public enum WorkerState: String, Sendable {
        case spawn, ready
        /// It ended by itself.
        case exit
        /// flick ended it.
        case killed
    }

    public enum SoundState: String, Sendable {
        case playing, silent
    }

    /// One response of the cache or the network. A value.
    public struct FetchFigures: Sendable, Equatable {
        public var item: String?
        public var url: String
        /// The requested range; `to` is its last byte, nil for "to the end".
        public var from: Int64
        public var to: Int64?
        public var got: Int64
        /// `cache` or `network`.
        public var source: String
        /// The HTTP status; 0 if there was none.
        public var status: Int
        public var took: Duration

        public init(
            item: String?, url: String, from: Int64, to: Int64?, got: Int64, source: String, status: Int, took: Duration
        ) {
            self.item = item
            self.url = url
            self.from = from
            self.to = to
            self.got = got
            self.source = source
            self.status = status
            self.took = took
        }
    }
}

extension TraceEvent {
    /// The content of a line of the trace besides its time: the event's name, its item, and its fields in order.
    public var encoding: (name: String, item: String?, fields: KeyValuePairs<String, JSONLine.Value>) {
        switch self {
        case .start(let version, let size, let surface, let color):
            (
                "start", nil,
                [
                    "version": .text(version), "cols": .integer(size.columns), "rows": .integer(size.rows),
                    "surface": .text(surface), "color": .text(color),
                ]
            )
        case .feed(let source, let items, let next):
            ("feed", nil, ["source": .text(source), "items": .integer(items), "next": .optional(next)])
        case .key(let key): ("key", nil, ["key": .text(key)])
        case .page(let item, let from, let to): ("page", item, ["from": .integer(from), "to": .integer(to)])
        case .settled(let item, let index): ("settled", item, ["index": .integer(index)])
        case .warm(let item, let index, let took, let variant):
            (
                "warm", item,
                ["index": .optional(index), "ms": .number(took.milliseconds), "variant": .optional(variant)]
            )
        case .warmFailed(let item, let index, let why):
            ("warm_failed", item, ["index": .optional(index), "why": .text(why)])
        case .evict(let item, let index, let why): ("evict", item, ["index": .optional(index), "why": .text(why)])
        case .claim(let item, let index, let how):
            ("claim", item, ["index": .optional(index), "how": .text(how.rawValue)])
        case .firstFrame(let item, let pts, let sincePage, let how):
            (
                "first_frame", item,
                [
                    "pts": .number(pts.seconds), "since_page_ms": .number(sincePage.milliseconds),
                    "how": .text(how.rawValue),
                ]
            )
        case .picture(let item, let pts, let bytes, let cells, let took):
            (
                "picture", item,
                [
                    "pts": .number(pts.seconds), "bytes": .integer(bytes), "cells": .integer(cells),
                    "ms": .number(took.milliseconds),
                ]
            )
        case .stall(let item): ("stall", item, ["ms": .number(0)])
        case .resume(let item, let lasted): ("resume", item, ["ms": .number(lasted.milliseconds)])
        case .watchdog(let item, let check, let attempt, let why):
            ("watchdog", item, Self.failure(check, attempt, why))
        case .recover(let item, let check, let attempt, let why): ("recover", item, Self.failure(check, attempt, why))
        case .gaveUp(let item, let check, let attempt, let why): ("gave_up", item, Self.failure(check, attempt, why))
        case .worker(let item, let pid, let state, let status):
            ("worker", item, ["pid": .integer(pid), "state": .text(state.rawValue), "status": .optional(status)])
        case .audio(let owner, let state, let drift):
            (
                "audio", owner,
                [
                    "owner": .text(owner), "state": .text(state.rawValue),
                    "drift_ms": drift.map { .number($0.milliseconds) } ?? .null,
                ]
            )
        case .fetch(let fetch):
            (
                "fetch", fetch.item,
                [
                    "url": .text(fetch.url), "from": .integer(Int(fetch.from)), "to": .optional(fetch.to.map(Int.init)),
                    "got": .integer(Int(fetch.got)), "source": .text(fetch.source), "status": .integer(fetch.status),
                    "ms": .number(fetch.took.milliseconds),
                ]
            )
        case .engage(let item, let what): ("engage", item, ["what": .text(what)])
        case .link(let roundTrip, let inFlight, let fps, let quality):
            (
                "link", nil,
                [
                    "rtt_ms": .number(roundTrip.milliseconds), "in_flight": .integer(inFlight), "fps": .number(fps),
                    "quality": .number(quality),
                ]
            )
        case .still(let item, let kind, let took, let why):
            ("still", item, ["kind": .text(kind), "ms": .number(took.milliseconds), "why": .optional(why)])
        case .error(let item, let what, let why): ("error", item, ["what": .text(what), "why": .text(why)])
        case .end(let status): ("end", nil, ["status": .integer(status)])
        }
    }

    private static func failure(
        _ check: String, _ attempt: Int, _ why: String
    ) -> KeyValuePairs<String, JSONLine.Value> {
        ["check": .text(check), "attempt": .integer(attempt), "why": .text(why)]
    }
}

/// Where trace events go. Called on any thread; must not block for long.
public typealias TraceSink = @Sendable (TraceEvent) -> Void
