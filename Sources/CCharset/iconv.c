#include "CCharset.h"

#include <errno.h>
#include <iconv.h>

// An iconv_t is a pointer wherever iconv is.

flick_charset *flick_charset_open(const char *name) {
    iconv_t converter = iconv_open("UTF-8", name);
    return converter == (iconv_t)-1 ? NULL : (flick_charset *)converter;
}

flick_charset_stop flick_charset_convert(flick_charset *charset, const char *bytes, size_t *length, char *out,
    size_t *room) {
    // iconv does not write to what it reads.
    char *in = (char *)bytes;
    if (iconv((iconv_t)charset, &in, length, &out, room) != (size_t)-1) return FLICK_CHARSET_DONE;
    switch (errno) {
    case EINVAL: return FLICK_CHARSET_INCOMPLETE;
    case E2BIG: return FLICK_CHARSET_FULL;
    default: return FLICK_CHARSET_WRONG;
    }
}

void flick_charset_close(flick_charset *charset) { iconv_close((iconv_t)charset); }
