#include "decompressors.h"

#include <stdlib.h>

struct flick_decompression {
    const flick_decompressor *functions;
    void *state;
};

int flick_can_decompress(flick_coding coding) {
    switch (coding) {
    case FLICK_BROTLI: return flick_brotli_load() == 0;
    case FLICK_ZSTD: return flick_zstd_load() == 0;
    default: return 1;
    }
}

flick_decompression *flick_decompress_begin(flick_coding coding) {
    flick_decompression *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->functions = coding == FLICK_BROTLI ? &flick_brotli_decompressor
        : coding == FLICK_ZSTD               ? &flick_zstd_decompressor
                                             : &flick_zlib_decompressor;
    self->state = self->functions->begin(coding);
    if (self->state) return self;
    free(self);
    return NULL;
}

int flick_decompress_run(flick_decompression *self, const uint8_t *bytes, size_t *count, uint8_t *out, size_t *room) {
    return self->functions->run(self->state, bytes, count, out, room);
}

void flick_decompress_end(flick_decompression *self) {
    self->functions->end(self->state);
    free(self);
}
