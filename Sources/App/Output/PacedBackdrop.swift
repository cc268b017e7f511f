import Model
import TermGraphics

/// A page's backdrop, which follows its picture seldom: updates cost bytes, and it is not what the user looks at. A
/// value; the caller passes the time.
struct PacedBackdrop {
    static let interval = Duration.milliseconds(250)

    private(set) var backdrop: Backdrop
    private var followedAt: Duration?

    init(page: PixelSize) { backdrop = Backdrop(page: page) }

    /// Renews the backdrop from its page's picture, if it is time.
    ///
    /// - Parameter isMoving: whether the page moves: then every cell is written
    ///   anyway, and the backdrop stays as it is.
    mutating func follow(_ picture: PictureView, cell: PixelSize, isMoving: Bool, now: Duration) {
        if let followedAt, isMoving || now < followedAt + Self.interval { return }
        backdrop.renew(from: picture, cell: cell)
        followedAt = now
    }
}
