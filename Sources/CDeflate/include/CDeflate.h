#ifndef FLICK_DEFLATE_H
#define FLICK_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

// zlib, as far as pictures on their way to a terminal need it. Any thread may call; nothing is kept between two calls.

/// The most bytes that `count` bytes can become.
size_t flick_deflate_bound(size_t count);

/// Compresses as a zlib stream (RFC 1950), quickly rather than well, into `out`, which holds `flick_deflate_bound` bytes.
/// Returns the length, or 0 where there was no memory.
size_t flick_deflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room);

/// The checksum of PNG's chunks (CRC-32 of ISO 3309).
uint32_t flick_crc32(const uint8_t *bytes, size_t count);

#endif
