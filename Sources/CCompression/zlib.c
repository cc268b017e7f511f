#include "decompressors.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

typedef struct {
    z_stream stream;
    int has_ended;
} inflating;

static void *begin(flick_coding coding) {
    inflating *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    // The largest window; with 16 more for gzip, negative without a header.
    int bits = coding == FLICK_GZIP ? 15 + 16 : coding == FLICK_ZLIB ? 15 : -15;
    if (inflateInit2(&state->stream, bits) == Z_OK) return state;
    free(state);
    return NULL;
}

static int run(void *self, const uint8_t *bytes, size_t *count, uint8_t *out, size_t *room) {
    inflating *state = self;
    z_stream *stream = &state->stream;
    if (state->has_ended && inflateReset(stream) != Z_OK) return -1;
    uInt given = *count < UINT_MAX ? (uInt)*count : UINT_MAX, space = *room < UINT_MAX ? (uInt)*room : UINT_MAX;
    stream->next_in = (Bytef *)bytes;
    stream->avail_in = given;
    stream->next_out = out;
    stream->avail_out = space;
    int code = inflate(stream, Z_NO_FLUSH);
    *count -= given - stream->avail_in;
    *room -= space - stream->avail_out;
    state->has_ended = code == Z_STREAM_END;
    if (state->has_ended) return 1;
    // Without input there may be nothing left to write.
    return code == Z_OK || (code == Z_BUF_ERROR && given == 0) ? 0 : -1;
}

static void end(void *self) {
    inflating *state = self;
    inflateEnd(&state->stream);
    free(state);
}

const flick_decompressor flick_zlib_decompressor = {begin, run, end};
