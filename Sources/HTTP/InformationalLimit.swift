/// Counts informational responses (1xx) before a response: with one after the other, a server would keep the request
/// and a core busy until the time limit. Pure.
struct InformationalLimit: Sendable {
    /// A server has nothing more to say than `100 Continue`, `102 Processing` and some `103 Early Hints`.
    static let most = 16

    private var count = 0

    /// Another one has come. Returns whether it is one too many.
    mutating func isExceeded() -> Bool {
        count += 1
        return count > InformationalLimit.most
    }
}
