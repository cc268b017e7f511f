#ifndef FLICK_DEFLATE_H
#define FLICK_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

// The part of zlib that pictures for a terminal and texts from servers need. Any thread may call.

/// The most bytes that `count` bytes can become.
size_t flick_deflate_bound(size_t count);

/// Compresses as a zlib stream (RFC 1950), quickly rather than well, into `out`, which holds `flick_deflate_bound` bytes.
/// Returns the length, or 0 where there was no memory.
size_t flick_deflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room);

/// The checksum of PNG's chunks (CRC-32 of ISO 3309).
uint32_t flick_crc32(const uint8_t *bytes, size_t count);

/// A stream that is being decompressed. One thread at a time.
typedef struct flick_inflate flick_inflate;

/// gzip (RFC 1952), zlib (RFC 1950), or deflate alone (RFC 1951).
typedef enum { FLICK_GZIP, FLICK_ZLIB, FLICK_RAW } flick_inflate_form;

/// NULL if there is no memory.
flick_inflate *flick_inflate_begin(flick_inflate_form form);

/// Decompresses from `bytes` into `out`, and takes from `*count` and `*room` what was read and written. Returns 1 at
/// the end of the stream, behind which another begins; 0 before it; -1 if the bytes are damaged.
int flick_inflate_run(flick_inflate *state, const uint8_t *bytes, size_t *count, uint8_t *out, size_t *room);

void flick_inflate_end(flick_inflate *state);

#endif
