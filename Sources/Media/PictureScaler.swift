internal import CFFmpeg
import Wire

/// Scales decoded pictures straight to what a surface wants, into memory that flick can read.
final class PictureScaler {
    private var scaler: OpaquePointer?
    /// What the scaler was made for: sizes, formats, flags and how colours are coded.
    private var form: [CInt] = []
    private var turned: [UInt32] = []
    /// What brings HDR and wide colours down; nil: the pictures have neither.
    private var toneMap: ToneMap?
    /// Red, green, blue and alpha of 16 bits, before `toneMap`.
    private var deep: [UInt16] = []
    static let padding = 16

    deinit { flick_scaler_free(scaler) }

    /// Writes `frame` to `target`, which has room for `fit.stride * fit.height` pixels.
    func scale(
        _ frame: UnsafeMutablePointer<AVFrame>, orientation: Orientation, fit: PictureGeometry,
        to target: UnsafeMutablePointer<UInt32>
    ) throws(MediaError) {
        guard let source = av_frame_clone(frame) else { throw MediaError(.limits, "out of memory") }
        var optional: UnsafeMutablePointer<AVFrame>? = source
        defer { av_frame_free(&optional) }
        var cropY = fit.cropY
        if PictureScaler.takeField(of: source) { cropY = cropY / 2 & ~1 }
        if fit.cropX > 0 || cropY > 0 {
            (source.pointee.crop_left, source.pointee.crop_right) = (fit.cropX, fit.cropX)
            (source.pointee.crop_top, source.pointee.crop_bottom) = (cropY, cropY)
            let code = av_frame_apply_cropping(source, flick_crop_unaligned())
            guard code >= 0 else { throw MediaError(.other, "a frame cannot be cropped", because: code) }
        }
        let format = AVPixelFormat(source.pointee.format)
        let transfer = PictureScaler.transfer(of: source)
        if toneMap?.transfer != transfer { toneMap = transfer.map(ToneMap.init) }
        let hasAlpha =
            av_pix_fmt_desc_get(format).map { $0.pointee.flags & UInt64(AV_PIX_FMT_FLAG_ALPHA) != 0 } ?? false
            || format == AV_PIX_FMT_PAL8
        try prepare(source, fit: fit, hasAlpha: hasAlpha)

        if orientation == Orientation() {
            try run(source, fit: fit, into: target, stride: fit.stride)
            if hasAlpha, toneMap == nil { blend(target, count: fit.stride * fit.height) }
            return
        }
        let stride = (fit.scaledWidth + 15) & ~15
        if turned.count < stride * fit.scaledHeight + PictureScaler.padding {
            turned = Array(repeating: 0, count: stride * fit.scaledHeight + PictureScaler.padding)
        }
        // Moved out of the property for the call: it is written through a pointer.
        var pixels = turned
        turned = []
        defer { turned = pixels }
        let result: Result<Void, MediaError> = pixels.withUnsafeMutableBufferPointer { buffer in
            // Not empty: a picture is at least one pixel large.
            let base = buffer.baseAddress!
            do throws(MediaError) { try run(source, fit: fit, into: base, stride: stride) } catch {
                return .failure(error)
            }
            if hasAlpha, toneMap == nil { blend(base, count: stride * fit.scaledHeight) }
            turn(base, stride: stride, fit: fit, orientation: orientation, to: target)
            return .success(())
        }
        try result.get()
    }

    /// Makes an interlaced picture its upper field: as a terminal's pictures have fewer lines, nothing is lost, and
    /// nothing is torn. Returns whether it did.
    private static func takeField(of source: UnsafeMutablePointer<AVFrame>) -> Bool {
        guard flick_frame_is_interlaced(source) != 0, source.pointee.height >= 4 else { return false }
        withUnsafeMutablePointer(to: &source.pointee.linesize) { sizes in
            sizes.withMemoryRebound(to: CInt.self, capacity: 4) { for plane in 0..<4 { $0[plane] *= 2 } }
        }
        source.pointee.height /= 2
        return true
    }

    /// How a picture's values stand for light; nil: as the terminal's.
    private static func transfer(of source: UnsafeMutablePointer<AVFrame>) -> ToneMap.Transfer? {
        switch source.pointee.color_trc {
        case AVCOL_TRC_SMPTE2084:
            let peak = flick_frame_peak(source)
            // The usual mastering peak, for films that do not state theirs.
            return .pq(peak: peak > 0 ? peak : 1_000)
        case AVCOL_TRC_ARIB_STD_B67: return .hlg
        default: return source.pointee.color_primaries == AVCOL_PRI_BT2020 ? .wide : nil
        }
    }

    private func prepare(
        _ source: UnsafeMutablePointer<AVFrame>, fit: PictureGeometry, hasAlpha: Bool
    ) throws(MediaError) {
        var format = AVPixelFormat(source.pointee.format)
        var isFull: CInt = source.pointee.color_range == AVCOL_RANGE_JPEG ? 1 : 0
        for (old, new) in [
            (AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV420P), (AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUV422P),
            (AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUV444P), (AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUV440P),
        ] where format == old {
            format = new
            isFull = 1
        }
        let (width, height) = (source.pointee.width, source.pointee.height)
        let shrinks = fit.scaledWidth < Int(width)
        let kind = CInt(truncatingIfNeeded: av_pix_fmt_desc_get(format)?.pointee.flags ?? 0)
        let matrix: CInt =
            switch source.pointee.colorspace {
            // On the way libswscale turns RGB into YUV and back, with this
            // matrix one way and the default one the other.
            case _ where kind & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL) != 0: SWS_CS_DEFAULT
            case AVCOL_SPC_BT709: SWS_CS_ITU709
            case AVCOL_SPC_BT470BG, AVCOL_SPC_SMPTE170M: SWS_CS_ITU601
            case AVCOL_SPC_SMPTE240M: SWS_CS_SMPTE240M
            case AVCOL_SPC_FCC: SWS_CS_FCC
            case AVCOL_SPC_BT2020_NCL, AVCOL_SPC_BT2020_CL: SWS_CS_BT2020
            default: height >= 720 || width >= 1_280 ? SWS_CS_ITU709 : SWS_CS_ITU601
            }
        let target = toneMap != nil ? AV_PIX_FMT_RGBA64LE : hasAlpha ? AV_PIX_FMT_BGRA : AV_PIX_FMT_BGR0
        var scaling = FlickScaling(
            source_width: width, source_height: height, source_format: format.rawValue,
            target_width: CInt(fit.scaledWidth), target_height: CInt(fit.scaledHeight),
            target_format: target.rawValue,
            flags: shrinks ? flick_scale_by_area() : flick_scale_bicubic())
        let wanted = [
            width, height, scaling.source_format, scaling.target_width, scaling.target_height, scaling.target_format,
            scaling.flags, matrix, isFull,
        ]
        if scaler != nil, form == wanted { return }
        scaler = flick_scaler_for(scaler, &scaling)
        form = wanted
        guard let scaler else {
            throw MediaError(.undecodable, "its frames cannot be scaled")
        }
        flick_scaler_set_colours(scaler, matrix, isFull)
    }

    private func run(
        _ source: UnsafeMutablePointer<AVFrame>, fit: PictureGeometry, into target: UnsafeMutablePointer<UInt32>,
        stride: Int
    ) throws(MediaError) {
        guard let toneMap else {
            return try run(source, into: UnsafeMutableRawPointer(target), bytes: stride * 4)
        }
        let count = stride * fit.scaledHeight * 4 + PictureScaler.padding
        if deep.count < count { deep = Array(repeating: 0, count: count) }
        // Moved out of the property for the call: it is written through a pointer.
        var pixels = deep
        deep = []
        defer { deep = pixels }
        let result: Result<Void, MediaError> = pixels.withUnsafeMutableBufferPointer { buffer in
            // Not empty: it has the padding.
            let base = buffer.baseAddress!
            do throws(MediaError) { try run(source, into: UnsafeMutableRawPointer(base), bytes: stride * 8) } catch {
                return .failure(error)
            }
            for y in 0..<fit.scaledHeight {
                toneMap.convert(base + y * stride * 4, to: target + y * stride, count: fit.scaledWidth)
            }
            return .success(())
        }
        try result.get()
    }

    private func run(
        _ source: UnsafeMutablePointer<AVFrame>, into target: UnsafeMutableRawPointer, bytes: Int
    ) throws(MediaError) {
        let code = flick_scaler_run(scaler, source, target.assumingMemoryBound(to: UInt8.self), CInt(bytes))
        guard code > 0 else { throw MediaError(.undecodable, "a frame cannot be scaled", because: code) }
    }

    /// Lays half-transparent pixels over black.
    private func blend(_ pixels: UnsafeMutablePointer<UInt32>, count: Int) {
        for index in 0..<count {
            let pixel = pixels[index]
            let alpha = pixel >> 24
            guard alpha < 255 else { continue }
            let outer = ((pixel & 0xFF00FF) * alpha + 0x800080) >> 8 & 0xFF00FF
            let green = ((pixel & 0x00FF00) * alpha + 0x8000) >> 8 & 0x00FF00
            pixels[index] = outer | green
        }
    }

    private func turn(
        _ source: UnsafePointer<UInt32>, stride: Int, fit: PictureGeometry, orientation: Orientation,
        to target: UnsafeMutablePointer<UInt32>
    ) {
        let walk = orientation.walk(width: fit.scaledWidth, height: fit.scaledHeight, stride: stride)
        for y in 0..<fit.height {
            let (row, start) = (target + y * fit.stride, source + walk.first + y * walk.below)
            for x in 0..<fit.width { row[x] = start[x * walk.right] }
        }
    }
}
