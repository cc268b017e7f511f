#include "shim.h"

#include <libavutil/mem.h>

int flick_open_resampler(SwrContext **converter, const AVFrame *frame) {
    AVChannelLayout stereo = AV_CHANNEL_LAYOUT_STEREO;
    AVChannelLayout in = {0};
    int code;
    // Some decoders say how many channels there are, but not which.
    if (frame->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC)
        av_channel_layout_default(&in, frame->ch_layout.nb_channels);
    else if ((code = av_channel_layout_copy(&in, &frame->ch_layout)) < 0)
        return code;
    code = swr_alloc_set_opts2(converter, &stereo, AV_SAMPLE_FMT_S16, 48000, &in, frame->format, frame->sample_rate, 0, NULL);
    av_channel_layout_uninit(&in);
    if (code < 0) return code;
    return swr_init(*converter);
}

static int refuse(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    (void)format, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EACCES);
}

void flick_open_nothing(AVFormatContext *format) { format->io_open = refuse; }
