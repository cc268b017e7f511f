#include "CJPEG.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <turbojpeg.h>

#define FUNCTIONS(each) each(BufSize) each(Compress2) each(Destroy) each(InitCompress)

#define POINTER(name) __typeof__(&tj##name) name;
// Written once, under `once`, before anything else here can be called.
static struct { FUNCTIONS(POINTER) } tj;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_loaded;
static char load_error[256];

static void load(void) {
#ifdef __linux__
    // The name that it has kept since libjpeg-turbo 1.2; version 3 still has these functions.
    void *library = dlopen("libturbojpeg.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        snprintf(load_error, sizeof load_error, "libturbojpeg cannot be loaded: %s", why ? why : "unknown");
        return;
    }
#define FIND(name)                                                                                                               \
    if ((tj.name = (__typeof__(&tj##name))dlsym(library, "tj" #name)) == NULL) {                                                 \
        snprintf(load_error, sizeof load_error, "libturbojpeg has no tj" #name);                                                 \
        return;                                                                                                                  \
    }
#else
#define FIND(name) tj.name = &tj##name;
#endif
    FUNCTIONS(FIND)
    is_loaded = 1;
}

int flick_jpeg_load(void) {
    pthread_once(&once, load);
    return is_loaded ? 0 : -1;
}

const char *flick_jpeg_load_error(void) { return load_error; }

size_t flick_jpeg_bound(int width, int height) { return tj.BufSize(width, height, TJSAMP_420); }

long flick_jpeg_write(const uint32_t *pixels, int width, int height, int stride, int quality, unsigned char *out) {
    tjhandle writer = tj.InitCompress();
    if (writer == NULL) return -1;
    unsigned long size = tj.BufSize(width, height, TJSAMP_420);
    int code = tj.Compress2(writer, (const unsigned char *)pixels, width, stride * 4, height, TJPF_BGRX, &out, &size, TJSAMP_420,
                            quality, TJFLAG_NOREALLOC);
    tj.Destroy(writer);
    return code == 0 ? (long)size : -1;
}
