internal import CFFmpeg
import Platform

/// How a coded picture comes to stand upright: first mirrored left to right or not, then turned clockwise. A value.
struct Orientation: Equatable {
    var isMirrored = false
    /// Clockwise: 0, 90, 180 or 270.
    var degrees = 0

    /// From a display matrix of nine numbers (ISO/IEC 14496-12, 8.3.2), of
    /// which only mirroring and the nearest quarter turn count.
    init(matrix: UnsafePointer<Int32>) {
        var (across, down) = (Double(matrix[0]), Double(matrix[1]))
        isMirrored = across * Double(matrix[4]) - down * Double(matrix[3]) < 0
        if isMirrored { (across, down) = (-across, -down) }
        guard across != 0 || down != 0 else { return }
        degrees = ((Int((atan2(down, across) / .pi * 2).rounded()) % 4) + 4) % 4 * 90
    }

    init(isMirrored: Bool = false, degrees: Int = 0) {
        self.isMirrored = isMirrored
        self.degrees = degrees
    }

    /// Whether width and height change places.
    var isOnItsSide: Bool { degrees % 180 != 0 }

    /// Where in a picture of `width` × `height` pixels, `stride` apart from row to row, the pixel is that comes to the
    /// top left, and how far it is from there to the pixel that comes to the right of it and to the one below it.
    func walk(width: Int, height: Int, stride: Int) -> (first: Int, right: Int, below: Int) {
        let (left, bottom) = (isMirrored ? width - 1 : 0, (height - 1) * stride)
        let (right, step) = (width - 1 - left, isMirrored ? -1 : 1)
        return switch degrees {
        case 90: (bottom + left, -stride, step)
        case 180: (bottom + right, -step, -stride)
        case 270: (right, stride, -step)
        default: (left, step, stride)
        }
    }
}
