internal import CCurl

/// libcurl, which sends all requests.
package enum NetworkLibrary {
    /// Loads it, unless it is loaded, which blocks for some milliseconds.
    /// - Returns: whether it can be used, and its version or why not.
    package static func check() -> (isUsable: Bool, found: String) {
        let isUsable = flick_curl_load() == 0
        return (isUsable, String(cString: flick_curl_found()))
    }
}
