import Model
import Platform

/// Becomes `flick-server`, with these arguments: the server is a separate program, so that flick stays small.
/// Returns only by throwing `AppError`.
public func serve(_ arguments: [String]) throws {
    guard let server = Installation.current().server else {
        throw AppError(
            "flick-server not found beside flick or in ../libexec/flick; run `make build`, or reinstall flick")
    }
    let texts = ([server] + arguments).map { strdup($0) } + [nil]
    execv(server, texts)
    let code = errno
    for text in texts { free(text) }
    throw AppError.file("run", server, code)
}
