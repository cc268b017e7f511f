internal import CFFmpeg
import Wire

/// A failed call of libav, or a file that exceeds one of our limits. A value.
struct MediaError: Error, Equatable {
    var code: FailureCode
    /// What is wrong, in one line and plain words.
    var why: String
    /// What libav says of it, in one line; empty if it says nothing.
    var detail: String

    init(_ code: FailureCode, _ why: String, detail: String = "") {
        self.code = code
        self.why = why
        self.detail = detail
    }

    /// `what` failed with a code of libav.
    init(_ code: FailureCode, _ what: String, because number: CInt) {
        self.code = number == flick_averror_nomem() ? .limits : code
        why = what
        detail = MediaError.text(of: number)
    }

    /// The meaning of a code of libav, such as "Invalid data found when processing input".
    static func text(of code: CInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            // Not empty: its capacity is 128.
            let base = buffer.baseAddress!
            flick_error_text(code, base, 128)
            return String(cString: base)
        }
    }
}
