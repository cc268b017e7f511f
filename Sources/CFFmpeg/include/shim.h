#ifndef FLICK_CFFMPEG_SHIM_H
#define FLICK_CFFMPEG_SHIM_H

// What Swift cannot import of FFmpeg's libraries (macros with casts, variadic calls), and what differs between FFmpeg
// 5.1 and 9.

#include <libavcodec/avcodec.h>
#include <libavcodec/vorbis_parser.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

static inline int flick_averror_eof(void) { return AVERROR_EOF; }
static inline int flick_averror_eagain(void) { return AVERROR(EAGAIN); }
static inline int flick_averror_exit(void) { return AVERROR_EXIT; }
static inline int flick_averror_io(void) { return AVERROR(EIO); }
static inline int flick_averror_nomem(void) { return AVERROR(ENOMEM); }
static inline int flick_averror_inval(void) { return AVERROR(EINVAL); }
static inline int flick_averror_denied(void) { return AVERROR(EACCES); }
/// Whether libav lacks what would be needed: a decoder, or a part of one.
static inline int flick_is_missing(int code) {
    return code == AVERROR_PATCHWELCOME || code == AVERROR_DECODER_NOT_FOUND || code == AVERROR(ENOSYS) ||
        code == AVERROR_EXPERIMENTAL;
}
static inline int flick_averror_invalid(void) { return AVERROR_INVALIDDATA; }
static inline int64_t flick_no_pts(void) { return AV_NOPTS_VALUE; }
static inline AVRational flick_microseconds(void) { return (AVRational){1, 1000000}; }

// Macros in some versions, enumerations in others.
//
// 1280x720 to 200x112, FFmpeg 5.1, medians of 15 interleaved runs, PSNR against an area average in double precision:
// area 0.51 ms and 59.0 dB; without full chroma 0.26 ms and 40.3 dB; bicubic 1.09 ms and 42.4 dB; bilinear 0.71 ms and
// 39.7 dB. Accurate rounding costs nothing there. All scaling is a fifth of a decoder's time: full chroma is worth its
// 0.25 ms.
static inline int flick_scale_by_area(void) { return SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT; }
static inline int flick_scale_bicubic(void) { return SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT; }
static inline int flick_crop_unaligned(void) { return AV_FRAME_CROP_UNALIGNED; }

static inline int flick_frame_is_key(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame->flags & AV_FRAME_FLAG_KEY) != 0;
#else
    return frame->key_frame;
#endif
}

/// Whether its lines are of two moments, in turn.
static inline int flick_frame_is_interlaced(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return frame->interlaced_frame;
#endif
}

/// The light of the brightest pixel of a film, in cd/m², or of the display that it was made for; 0 if unknown.
double flick_frame_peak(const AVFrame *frame);

/// In the time base of the packets; 0 if unknown.
static inline int64_t flick_frame_duration(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    return frame->duration;
#else
    return frame->pkt_duration;
#endif
}

static inline int flick_frame_is_corrupt(const AVFrame *frame) {
    return (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame->decode_error_flags != 0;
}

/// The display matrix of a stream (nine numbers), or NULL.
static inline const int32_t *flick_display_matrix(const AVStream *stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 29, 100)
    const AVPacketSideData *data = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data && data->size >= 9 * sizeof(int32_t) ? (const int32_t *)data->data : NULL;
#else
    size_t size = 0;
    const uint8_t *data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    return data && size >= 9 * sizeof(int32_t) ? (const int32_t *)data : NULL;
#endif
}

/// Whether a container says that a stream's packets are encrypted. MP4 does not:
/// libav reports the codec's name as if it were unencrypted (see `Encryption`).
int flick_is_encrypted(const AVStream *stream);

/// Scales pictures and converts their colours: libswscale's context, which is an opaque type up to FFmpeg 7 and a
/// public one from 8 on. One thread at a time.
typedef struct FlickScaler FlickScaler;

/// The pictures that a scaler reads and those that it writes. Sizes are in pixels, formats are AVPixelFormat, `flags`
/// are SWS_….
typedef struct {
    int source_width, source_height, source_format;
    int target_width, target_height, target_format;
    int flags;
} FlickScaling;

/// A scaler for `scaling`: `before`, if it was made for the same, else a new one, and `before` is freed. `before` may
/// be NULL. NULL if it cannot be scaled so.
FlickScaler *flick_scaler_for(FlickScaler *before, const FlickScaling *scaling);

/// Says how the source's colours are coded: `matrix` is SWS_CS_…, `is_full` whether luma covers 0…255. Without effect
/// for RGB sources, which need no matrix.
void flick_scaler_set_colours(FlickScaler *scaler, int matrix, int is_full);

/// Scales all of `frame` to four bytes a pixel; rows of `target` are `stride` bytes apart. Returns the rows written, or
/// an AVERROR.
int flick_scaler_run(FlickScaler *scaler, const AVFrame *frame, uint8_t *target, int stride);

/// Frees a scaler; NULL is ignored.
void flick_scaler_free(FlickScaler *scaler);

/// Makes a converter from the format of `frame` to 48 kHz stereo, as interleaved floats. Returns 0 or an AVERROR.
int flick_open_resampler(SwrContext **converter, const AVFrame *frame);

/// Refuses to open anything for `format` besides its input.
void flick_open_nothing(AVFormatContext *format);

/// Takes `count` bytes of a file that a muxer writes, from `offset` on; they may overwrite earlier ones. Returns 0, or
/// an AVERROR.
typedef int (*FlickPut)(void *opaque, int64_t offset, const uint8_t *bytes, int count);

/// A file that a muxer writes at any place up to its end. One thread at a time.
typedef struct FlickMuxFile FlickMuxFile;

/// A file that calls `put`, with `opaque`, for pieces of at most `size` bytes; NULL without memory.
FlickMuxFile *flick_mux_file(FlickPut put, void *opaque, int size);

/// What a muxer writes to. Freed with the file.
AVIOContext *flick_mux_file_io(FlickMuxFile *file);

/// Frees a file; NULL is ignored.
void flick_mux_file_free(FlickMuxFile *file);

#endif
