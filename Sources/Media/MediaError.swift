internal import CFFmpeg
import Wire

/// A failed call of libav, or a file that exceeds one of our limits. A value.
struct MediaError: Error, Equatable {
    var code: FailureCode
    /// The problem, in one line of plain words.
    var why: String
    /// What can be done about it, in one line; may be empty.
    var advice: String
    /// More of it for those who look for the cause, in one line; may be empty.
    var detail: String

    /// Of a file that is a header only.
    static let nothingInIt = MediaError(
        .undecodable, "it contains only headers, no video or audio")

    /// Of a file that ends before its first picture does.
    static let nothingWhole = MediaError(.undecodable, "its video cannot be decoded")

    init(_ code: FailureCode, _ why: String, advice: String = "", detail: String = "") {
        self.code = code
        self.why = why
        self.advice = advice
        self.detail = detail
    }

    /// `what` failed with a code of libav.
    init(_ code: FailureCode, _ what: String, because number: CInt) {
        self.code = number == flick_averror_nomem() ? .limits : code
        why = what
        advice = ""
        detail = MediaError.text(of: number)
    }

    /// What a code of libav means for the file. libav's own words are for those who program with it.
    private static func text(of code: CInt) -> String {
        switch code {
        case flick_averror_invalid(): "invalid data"
        case flick_averror_eof(): "unexpected end of file"
        case flick_averror_nomem(): "out of memory"
        case flick_averror_io(): "reading failed"
        case _ where flick_is_missing(code) != 0: "a format that this FFmpeg cannot decode"
        case flick_averror_inval(): "a format that flick does not support"
        default: "unknown FFmpeg error"
        }
    }
}
