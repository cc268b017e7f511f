internal import CFFmpeg
import Wire

/// A failed call of libav, or a file that exceeds one of our limits. `why` is one line. A value.
struct MediaError: Error, Equatable {
    var code: FailureCode
    var why: String

    init(_ code: FailureCode, _ why: String) {
        self.code = code
        self.why = why
    }

    /// `what` failed with a code of libav.
    init(_ code: FailureCode, _ what: String, because number: CInt) {
        self.code = number == flick_averror_nomem() ? .limits : code
        why = "\(what): \(MediaError.text(of: number))"
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
