#include "shim.h"

#include <libavutil/mem.h>
#include <stdlib.h>

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

// The two callbacks live beside the format context's opaque pointer: there is one set of them in a process.
static flick_opener the_opener;
static flick_closer the_closer;

static int64_t number(AVDictionary *options, const char *key, int64_t otherwise) {
    const AVDictionaryEntry *entry = av_dict_get(options, key, NULL, 0);
    return entry ? strtoll(entry->value, NULL, 10) : otherwise;
}

static int io_open(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    if (flags & AVIO_FLAG_WRITE) return AVERROR(EACCES);
    AVDictionary *given = options ? *options : NULL;
    int64_t end = number(given, "end_offset", 0);
    return the_opener(format->opaque, io, url, number(given, "offset", 0), end > 0 ? end : -1);
}

static int io_close2(AVFormatContext *format, AVIOContext *io) { return io ? the_closer(format->opaque, io) : 0; }

void flick_set_io(AVFormatContext *format, void *opaque, flick_opener open, flick_closer close) {
    the_opener = open;
    the_closer = close;
    format->opaque = opaque;
    format->io_open = io_open;
    format->io_close2 = io_close2;
}
