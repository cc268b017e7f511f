#include "decompressors.h"

#include <brotli/decode.h>

#define LOADED_TABLE brotli
#define LOADED_PREFIX BrotliDecoder
#define LOADED_NAME "libbrotlidec"
#define LOADED_FILE "libbrotlidec.so.1"
#define LOADED_FUNCTIONS(each) each(CreateInstance) each(DecompressStream) each(DestroyInstance)
#include "loaded_library.h"

int flick_brotli_load(void) { return load_library(); }

// Windows are at most 16 MB (RFC 7932, 9.1): larger ones have to be allowed first.
static void *begin(flick_coding coding) {
    (void)coding;
    return load_library() == 0 ? brotli.CreateInstance(NULL, NULL, NULL) : NULL;
}

static int run(void *state, const uint8_t *bytes, size_t *count, uint8_t *out, size_t *room) {
    BrotliDecoderResult result = brotli.DecompressStream(state, count, &bytes, room, &out, NULL);
    return result == BROTLI_DECODER_RESULT_SUCCESS ? 1 : result == BROTLI_DECODER_RESULT_ERROR ? -1 : 0;
}

static void end(void *state) { brotli.DestroyInstance(state); }

const flick_decompressor flick_brotli_decompressor = {begin, run, end};
