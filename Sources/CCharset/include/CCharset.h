#ifndef FLICK_CHARSET_H
#define FLICK_CHARSET_H

#include <stddef.h>

// Encodings, by the C library's iconv.

typedef struct flick_charset flick_charset;

/// Converts from the encoding of this name to UTF-8; NULL if it is unknown.
flick_charset *flick_charset_open(const char *name);

typedef enum {
    /// All input was read.
    FLICK_CHARSET_DONE,
    /// The rest needs more bytes.
    FLICK_CHARSET_INCOMPLETE,
    /// The next byte means nothing.
    FLICK_CHARSET_WRONG,
    /// `out` is full.
    FLICK_CHARSET_FULL,
} flick_charset_stop;

/// Converts `*length` bytes and leaves how many of them remain there. Adds UTF-8 at `out`, and leaves in `*room` what
/// remains free of it.
flick_charset_stop flick_charset_convert(flick_charset *charset, const char *bytes, size_t *length, char *out,
    size_t *room);

void flick_charset_close(flick_charset *charset);

// Which encoding a text has, by uchardet. On Linux it is loaded on first use: without it, flick reads such texts as
// windows-1252.

/// Finds out which encoding a text most likely has, and puts its name, or "" if that is not known, into `name`. Returns
/// 0, or -1: the library cannot be loaded, or there is no memory. Any thread.
int flick_charset_detect(const char *bytes, size_t length, char *name, size_t room);

#endif
