/// One line of the trace (`--trace FILE`): a name, and fields in the order they are to be written.
///
/// Targets emit values through a `TraceSink`; only App knows of files.
public struct TraceEvent: Sendable, Equatable {
    public enum Value: Sendable, Equatable {
        case integer(Int)
        /// Written with up to 6 decimals.
        case number(Double)
        case text(String)
        case flag(Bool)
        case null
    }

    public var name: String
    public var item: String?
    public var fields: [(key: String, value: Value)]

    public init(_ name: String, item: String? = nil, _ fields: KeyValuePairs<String, Value> = [:]) {
        self.name = name
        self.item = item
        self.fields = fields.map { ($0.key, $0.value) }
    }

    public static func == (left: TraceEvent, right: TraceEvent) -> Bool {
        left.name == right.name && left.item == right.item && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
}

/// Where trace events go. Called from any thread; must not block for long.
public typealias TraceSink = @Sendable (TraceEvent) -> Void
