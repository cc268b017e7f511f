#include "CCompression.h"

#include <zlib.h>

size_t flick_deflate_bound(size_t count) { return compressBound(count); }

size_t flick_deflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room) {
    uLongf length = room;
    return compress2(out, &length, bytes, count, Z_BEST_SPEED) == Z_OK ? length : 0;
}

uint32_t flick_crc32(const uint8_t *bytes, size_t count) { return (uint32_t)crc32_z(0, bytes, count); }
