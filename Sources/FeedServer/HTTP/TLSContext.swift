import CTLS
import Model

/// A server's certificate and key. OpenSSL is loaded with the first one.
final class TLSContext: Sendable {
    /// OpenSSL counts references with atomics, and only `flick_tls_new` is called with it, which any thread may do.
    private nonisolated(unsafe) let context: OpaquePointer

    /// Two files in PEM. Throws `ServerError`. Blocks.
    init(certificate: String, key: String) throws {
        guard flick_tls_load() == 0 else {
            let reason = CleanText.line(String(cString: flick_tls_load_error()), limit: 200)
            throw ServerError("cannot serve TLS: \(reason); install libssl 3")
        }
        var why = [CChar](repeating: 0, count: 256)
        guard let made = flick_tls_context_new(certificate, key, &why, why.count) else {
            let text = String(decoding: why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let what = "cannot use the certificate '\(certificate)' with the key '\(key)'"
            let advice = "name two files in PEM, the key without passphrase"
            throw ServerError("\(what): \(CleanText.line(text, limit: 200)); \(advice)")
        }
        context = made
    }

    deinit { flick_tls_context_free(context) }

    /// nil without memory.
    func session() -> OpaquePointer? { flick_tls_new(context) }
}
