#include "pulse.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// As much of libpulse's interface as is needed, which has been the same since 0.9.15 (pulse/context.h,
// pulse/introspect.h, pulse/sample.h). Its headers are not wanted for building, nor the library for running.

// States of a context from here on are failures.
enum { CONTEXT_READY = 4, OPERATION_RUNNING = 0 };

struct server_info {
    const char *user_name, *host_name, *server_version, *server_name;
    struct {
        int format;
        uint32_t rate;
        uint8_t channels;
    } sample_spec;
    const char *default_sink_name;
};

typedef void (*info_callback)(void *context, const struct server_info *info, void *userdata);

#define FUNCTIONS(each) \
    each(void *, mainloop_new, (void)) each(void *, mainloop_get_api, (void *)) \
    each(int, mainloop_iterate, (void *, int, int *)) \
    each(void, mainloop_free, (void *)) each(void *, context_new, (void *, const char *)) \
    each(int, context_connect, (void *, const char *, int, const void *)) \
    each(int, context_get_state, (const void *)) \
    each(void, context_disconnect, (void *)) each(void, context_unref, (void *)) \
    each(void *, context_get_server_info, (void *, info_callback, void *)) \
    each(int, operation_get_state, (const void *)) each(void, operation_unref, (void *))

#define POINTER(result, name, arguments) result(*name) arguments;
struct pulse {
    FUNCTIONS(POINTER)
};

static int load(struct pulse *pulse) {
    // SDL brings it, where SDL can use it. It is never unloaded, as SDL's driver uses it too.
    void *library = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return -1;
#define FIND(result, name, arguments) \
    if ((pulse->name = (result(*) arguments)dlsym(library, "pa_" #name)) == NULL) return -1;
    FUNCTIONS(FIND)
    return 0;
}

static void note(void *context, const struct server_info *info, void *userdata) {
    (void)context;
    *(int *)userdata = info != NULL && info->default_sink_name == NULL;
}

int flick_pulse_lacks_device(const char *app_name) {
    struct pulse pulse;
    if (load(&pulse) != 0) return 0;
    int lacks = 0;
    void *loop = pulse.mainloop_new();
    if (loop == NULL) return 0;
    void *context = pulse.context_new(pulse.mainloop_get_api(loop), app_name);
    if (context != NULL && pulse.context_connect(context, NULL, 0, NULL) >= 0) {
        int state;
        while ((state = pulse.context_get_state(context)) < CONTEXT_READY &&
            pulse.mainloop_iterate(loop, 1, NULL) >= 0) {}
        void *asked = state == CONTEXT_READY ? pulse.context_get_server_info(context, note, &lacks) : NULL;
        while (asked != NULL && pulse.operation_get_state(asked) == OPERATION_RUNNING &&
               pulse.mainloop_iterate(loop, 1, NULL) >= 0) {}
        if (asked != NULL) pulse.operation_unref(asked);
        pulse.context_disconnect(context);
    }
    if (context != NULL) pulse.context_unref(context);
    pulse.mainloop_free(loop);
    return lacks;
}
