internal import CFFmpeg
import Wire

/// A call of libav that failed, or a limit of ours that a file goes over. `why` is one line.
struct MediaError: Error, Equatable {
    var code: FailureCode
    var why: String

    init(_ code: FailureCode, _ why: String) {
        self.code = code
        self.why = why
    }

    /// `what` could not be done, because of a code of libav.
    init(_ code: FailureCode, _ what: String, because number: CInt) {
        self.code = number == flick_averror_nomem() ? .limits : code
        why = "\(what): \(MediaError.text(of: number))"
    }

    /// What a code of libav means, such as "Invalid data found when processing input".
    static func text(of code: CInt) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            // Not empty: its capacity is 128.
            let base = buffer.baseAddress!
            flick_error_text(code, base, 128)
            return String(cString: base)
        }
    }
}
