#ifndef FLICK_CFFMPEG_SHIM_H
#define FLICK_CFFMPEG_SHIM_H

// What Swift cannot import of libav: macros with casts, variadic calls, bit-field helpers. FFmpeg 5.1 to 8.

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

/// AVERROR_EOF is a macro that Swift cannot import.
static inline int flick_averror_eof(void) { return AVERROR_EOF; }
static inline int flick_averror_eagain(void) { return AVERROR(EAGAIN); }
static inline int64_t flick_no_pts(void) { return AV_NOPTS_VALUE; }

#endif
