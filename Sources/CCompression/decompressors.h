#ifndef FLICK_DECOMPRESSORS_H
#define FLICK_DECOMPRESSORS_H

#include "CCompression.h"

// One for each library. `begin` returns NULL if there is no memory, or no library. `run` and `end` are as
// flick_decompress_run and flick_decompress_end.

typedef struct {
    void *(*begin)(flick_coding coding);
    int (*run)(void *state, const uint8_t *bytes, size_t *count, uint8_t *out, size_t *room);
    void (*end)(void *state);
} flick_decompressor;

extern const flick_decompressor flick_zlib_decompressor, flick_brotli_decompressor, flick_zstd_decompressor;

int flick_brotli_load(void);
int flick_zstd_load(void);

#endif
