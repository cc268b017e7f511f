// A library's functions in a table, which is filled on first use: on Linux the library is loaded then, elsewhere
// it is linked. There is no include guard: each file that includes it gets its own table. It has to define before:
//
// LOADED_TABLE      what the table is called: `pq`
// LOADED_PREFIX     what the functions' names begin with: `PQ`
// LOADED_NAME       the library, for people: "libpq"
// LOADED_FILE       what the loader finds it by: "libpq.so.5"
// LOADED_OTHER_FILE a second name, if there is one
// LOADED_FUNCTIONS  calls its argument with each name, without prefix: `each(clear) each(status)`
//
// It then has `LOADED_TABLE`, `load_library()` and `load_error`.

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define LOADED_PASTE_(prefix, name) prefix##name
#define LOADED_PASTE(prefix, name) LOADED_PASTE_(prefix, name)
#define LOADED_TEXT_(name) #name
#define LOADED_TEXT(name) LOADED_TEXT_(name)
#define LOADED_SYMBOL(name) LOADED_PASTE(LOADED_PREFIX, name)
#define LOADED_POINTER(name) __typeof__(&LOADED_SYMBOL(name)) name;

// Written once, under `load_once`, before any of its functions is called.
static struct { LOADED_FUNCTIONS(LOADED_POINTER) } LOADED_TABLE;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static int is_loaded;
static char load_error[256];

static void load_once_only(void) {
#ifdef __linux__
    // It is never closed: it may have threads.
    void *library = dlopen(LOADED_FILE, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *why = dlerror();
        snprintf(load_error, sizeof load_error, LOADED_NAME " cannot be loaded: %s", why ? why : "unknown");
    }
#ifdef LOADED_OTHER_FILE
    if (library == NULL) library = dlopen(LOADED_OTHER_FILE, RTLD_NOW | RTLD_LOCAL);
#endif
    if (library == NULL) return;
#define LOADED_FIND(name) \
    LOADED_TABLE.name = (__typeof__(&LOADED_SYMBOL(name)))dlsym(library, LOADED_TEXT(LOADED_SYMBOL(name))); \
    if (LOADED_TABLE.name == NULL) { \
        snprintf(load_error, sizeof load_error, LOADED_NAME " has no " LOADED_TEXT(LOADED_SYMBOL(name))); \
        return; \
    }
#else
#define LOADED_FIND(name) LOADED_TABLE.name = &LOADED_SYMBOL(name);
#endif
    LOADED_FUNCTIONS(LOADED_FIND)
    is_loaded = 1;
}

// Returns 0, or -1: `load_error` says why. Any thread; the first call blocks for about a millisecond.
static int load_library(void) {
    pthread_once(&load_once, load_once_only);
    return is_loaded ? 0 : -1;
}
