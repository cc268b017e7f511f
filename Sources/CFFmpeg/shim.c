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
    code = swr_alloc_set_opts2(converter, &stereo, AV_SAMPLE_FMT_FLT, 48000, &in, frame->format, frame->sample_rate, 0,
        NULL);
    av_channel_layout_uninit(&in);
    if (code < 0) return code;
    return swr_init(*converter);
}

FlickScaler *flick_scaler_for(FlickScaler *before, const FlickScaling *scaling) {
    return (FlickScaler *)sws_getCachedContext(
        (struct SwsContext *)before, scaling->source_width, scaling->source_height, scaling->source_format,
        scaling->target_width, scaling->target_height, scaling->target_format, scaling->flags, NULL, NULL, NULL);
}

void flick_scaler_set_colours(FlickScaler *scaler, int matrix, int is_full) {
    // It returns -1 for RGB sources.
    (void)sws_setColorspaceDetails(
        (struct SwsContext *)scaler, sws_getCoefficients(matrix), is_full, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0,
        1 << 16, 1 << 16);
}

int flick_scaler_run(FlickScaler *scaler, const AVFrame *frame, uint8_t *target, int stride) {
    const uint8_t *planes[4] = {frame->data[0], frame->data[1], frame->data[2], frame->data[3]};
    uint8_t *targets[4] = {target, NULL, NULL, NULL};
    const int strides[4] = {stride, 0, 0, 0};
    return sws_scale((struct SwsContext *)scaler, planes, frame->linesize, 0, frame->height, targets, strides);
}

void flick_scaler_free(FlickScaler *scaler) { sws_freeContext((struct SwsContext *)scaler); }

static int refuse(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    (void)format, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EACCES);
}

void flick_open_nothing(AVFormatContext *format) { format->io_open = refuse; }

int flick_is_encrypted(const AVStream *stream) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 29, 100)
    return av_packet_side_data_get(stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data,
        AV_PKT_DATA_ENCRYPTION_INIT_INFO) != NULL;
#else
    size_t size = 0;
    return av_stream_get_side_data(stream, AV_PKT_DATA_ENCRYPTION_INIT_INFO, &size) != NULL;
#endif
}

double flick_frame_peak(const AVFrame *frame) {
    const AVFrameSideData *data = av_frame_get_side_data(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
    if (data && data->size >= sizeof(AVContentLightMetadata)) {
        const AVContentLightMetadata *light = (const AVContentLightMetadata *)data->data;
        if (light->MaxCLL > 0) return light->MaxCLL;
    }
    data = av_frame_get_side_data(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
    if (data && data->size >= sizeof(AVMasteringDisplayMetadata)) {
        const AVMasteringDisplayMetadata *display = (const AVMasteringDisplayMetadata *)data->data;
        if (display->has_luminance && display->max_luminance.den > 0) return av_q2d(display->max_luminance);
    }
    return 0;
}

struct FlickMuxFile {
    AVIOContext *io;
    FlickPut put;
    void *opaque;
    int64_t position, end;
};

#if LIBAVFORMAT_VERSION_MAJOR >= 61
static int put_piece(void *opaque, const uint8_t *bytes, int count) {
#else
static int put_piece(void *opaque, uint8_t *bytes, int count) {
#endif
    FlickMuxFile *file = opaque;
    int code = file->put(file->opaque, file->position, bytes, count);
    if (code < 0) return code;
    file->position += count;
    if (file->position > file->end) file->end = file->position;
    return count;
}

static int64_t seek_piece(void *opaque, int64_t offset, int whence) {
    FlickMuxFile *file = opaque;
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return file->end;
    case SEEK_SET: break;
    case SEEK_CUR: offset += file->position; break;
    case SEEK_END: offset += file->end; break;
    default: return AVERROR(EINVAL);
    }
    if (offset < 0 || offset > file->end) return AVERROR(EINVAL);
    return file->position = offset;
}

FlickMuxFile *flick_mux_file(FlickPut put, void *opaque, int size) {
    FlickMuxFile *file = av_mallocz(sizeof *file);
    uint8_t *buffer = av_malloc((size_t)size);
    if (file && buffer) {
        file->put = put;
        file->opaque = opaque;
        file->io = avio_alloc_context(buffer, size, 1, file, NULL, put_piece, seek_piece);
    }
    if (file && file->io) return file;
    av_free(buffer);
    av_free(file);
    return NULL;
}

AVIOContext *flick_mux_file_io(FlickMuxFile *file) { return file->io; }

void flick_mux_file_free(FlickMuxFile *file) {
    if (!file) return;
    // libav may have replaced the buffer.
    av_freep(&file->io->buffer);
    avio_context_free(&file->io);
    av_free(file);
}
