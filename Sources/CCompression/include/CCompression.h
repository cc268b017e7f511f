#ifndef FLICK_COMPRESSION_H
#define FLICK_COMPRESSION_H

#include <stddef.h>
#include <stdint.h>

// Compression for pictures on a terminal, and decompression of texts from servers. Any thread may call.

/// The most bytes that `count` bytes can become.
size_t flick_deflate_bound(size_t count);

/// Compresses as a zlib stream (RFC 1950), quickly rather than well, into `out`, which holds `flick_deflate_bound`
/// bytes. Returns the length, or 0 where there was no memory.
size_t flick_deflate(const uint8_t *bytes, size_t count, uint8_t *out, size_t room);

/// The checksum of PNG's chunks (CRC-32 of ISO 3309).
uint32_t flick_crc32(const uint8_t *bytes, size_t count);

/// gzip (RFC 1952), zlib (RFC 1950), deflate alone (RFC 1951), brotli (RFC 7932), zstd (RFC 8878).
typedef enum { FLICK_GZIP, FLICK_ZLIB, FLICK_RAW, FLICK_BROTLI, FLICK_ZSTD } flick_coding;

/// Whether its library is there. The first call for brotli and for zstd loads it, which blocks for about a millisecond.
int flick_can_decompress(flick_coding coding);

/// A stream that is being decompressed. One thread at a time.
typedef struct flick_decompression flick_decompression;

/// NULL if there is no memory, or its library is missing.
flick_decompression *flick_decompress_begin(flick_coding coding);

/// Decompresses from `bytes` into `out`, and subtracts the bytes read and written from `*count` and `*room`. Returns
/// 1 at the end of the stream, which another can follow in gzip and zstd; 0 before it; -1 if the bytes are damaged.
int flick_decompress_run(flick_decompression *self, const uint8_t *bytes, size_t *count, uint8_t *out, size_t *room);

void flick_decompress_end(flick_decompression *self);

#endif
