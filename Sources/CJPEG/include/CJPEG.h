#ifndef FLICK_JPEG_H
#define FLICK_JPEG_H

#include <stddef.h>
#include <stdint.h>

// The part of libturbojpeg that writes JPEG. On Linux it is loaded on first use: a server without it
// serves everything except the stills that it would make. Any thread may call, also several at once.

/// Loads the library. Returns 0, or -1: `flick_jpeg_load_error` says why.
int flick_jpeg_load(void);
const char *flick_jpeg_load_error(void);

// Both only once it is loaded.

/// The most bytes that a picture of this size may take.
size_t flick_jpeg_bound(int width, int height);

/// Writes a picture as JPEG with half the colours across and down (4:2:0) into `out`, which holds `flick_jpeg_bound`
/// bytes.
///
/// `pixels` are blue, green, red and nothing each, `stride` pixels a row. `quality` is 1 to 100. Returns the length, or
/// -1.
long flick_jpeg_write(const uint32_t *pixels, int width, int height, int stride, int quality, unsigned char *out);

#endif
