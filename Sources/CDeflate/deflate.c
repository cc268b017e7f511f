#include "CDeflate.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

size_t flick_deflate_bound(size_t count) { return compressBound(count); }

size_t flick_deflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room) {
    uLongf length = room;
    return compress2(out, &length, bytes, count, Z_BEST_SPEED) == Z_OK ? length : 0;
}

uint32_t flick_crc32(const uint8_t *bytes, size_t count) { return (uint32_t)crc32_z(0, bytes, count); }

struct flick_inflate {
    z_stream stream;
    int has_ended;
};

flick_inflate *flick_inflate_begin(flick_inflate_form form) {
    flick_inflate *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    // The largest window; with 16 more for gzip, negative without a header.
    int bits = form == FLICK_GZIP ? 15 + 16 : form == FLICK_ZLIB ? 15 : -15;
    if (inflateInit2(&state->stream, bits) == Z_OK) return state;
    free(state);
    return NULL;
}

int flick_inflate_run(flick_inflate *state, const uint8_t *bytes, size_t *count, uint8_t *out, size_t *room) {
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

void flick_inflate_end(flick_inflate *state) {
    inflateEnd(&state->stream);
    free(state);
}
