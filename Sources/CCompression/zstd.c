#include "decompressors.h"

#include <zstd.h>

#define LOADED_TABLE zstd
#define LOADED_PREFIX ZSTD_
#define LOADED_NAME "libzstd"
#define LOADED_FILE "libzstd.so.1"
#define LOADED_FUNCTIONS(each) \
    each(createDStream) each(DCtx_setParameter) each(decompressStream) each(freeDStream) each(isError)
#include "loaded_library.h"

int flick_zstd_load(void) { return load_library(); }

// In HTTP, windows are at most 8 MB (RFC 9659, 3).
enum { window_bits = 23 };

static void *begin(flick_coding coding) {
    (void)coding;
    if (load_library() != 0) return NULL;
    ZSTD_DStream *state = zstd.createDStream();
    if (state != NULL && zstd.isError(zstd.DCtx_setParameter(state, ZSTD_d_windowLogMax, window_bits))) {
        zstd.freeDStream(state);
        return NULL;
    }
    return state;
}

static int run(void *state, const uint8_t *bytes, size_t *count, uint8_t *out, size_t *room) {
    ZSTD_inBuffer input = {bytes, *count, 0};
    ZSTD_outBuffer output = {out, *room, 0};
    size_t left = zstd.decompressStream(state, &output, &input);
    *count -= input.pos;
    *room -= output.pos;
    if (zstd.isError(left)) return -1;
    return left == 0 ? 1 : 0;
}

static void end(void *state) { zstd.freeDStream(state); }

const flick_decompressor flick_zstd_decompressor = {begin, run, end};
