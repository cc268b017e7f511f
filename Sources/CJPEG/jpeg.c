#include "CJPEG.h"

#include <turbojpeg.h>

#define LOADED_TABLE tj
#define LOADED_PREFIX tj
#define LOADED_NAME "libturbojpeg"
// It has kept this name since libjpeg-turbo 1.2; version 3 still has these functions.
#define LOADED_FILE "libturbojpeg.so.0"
#define LOADED_FUNCTIONS(each) each(BufSize) each(Compress2) each(Destroy) each(InitCompress)
#include "loaded_library.h"

int flick_jpeg_load(void) { return load_library(); }

const char *flick_jpeg_load_error(void) { return load_error; }

size_t flick_jpeg_bound(int width, int height) { return tj.BufSize(width, height, TJSAMP_420); }

long flick_jpeg_write(const uint32_t *pixels, int width, int height, int stride, int quality, unsigned char *out) {
    tjhandle writer = tj.InitCompress();
    if (writer == NULL) return -1;
    unsigned long size = tj.BufSize(width, height, TJSAMP_420);
    int code = tj.Compress2(writer, (const unsigned char *)pixels, width, stride * 4, height, TJPF_BGRX, &out, &size,
                            TJSAMP_420, quality, TJFLAG_NOREALLOC);
    tj.Destroy(writer);
    return code == 0 ? (long)size : -1;
}
