#include "shim.h"
#include "pulse.h"

// SDL must not take over main().
#define SDL_MAIN_HANDLED 1
#include <SDL2/SDL.h>

#include <stdlib.h>
#include <string.h>

#define LOADED_TABLE sdl
#define LOADED_PREFIX SDL_
#define LOADED_NAME "SDL2"
// The name that SDL 2 promises to keep.
#define LOADED_FILE "libSDL2-2.0.so.0"
#define LOADED_FUNCTIONS(each) \
    each(SetHint) each(InitSubSystem) each(QuitSubSystem) each(GetError) each(OpenAudioDevice) each(CloseAudioDevice) \
    each(PauseAudioDevice) each(GetAudioDeviceStatus) each(QueueAudio) each(GetQueuedAudioSize) \
    each(ClearQueuedAudio)
#include "loaded_library.h"

/// The last init of this thread failed before SDL was called.
static _Thread_local int is_refused;

/// Whether SDL would ask PulseAudio first.
static int prefers_pulse(void) {
    const char *driver = getenv("SDL_AUDIODRIVER");
    return driver == NULL || *driver == '\0' || strncmp(driver, "pulse", 5) == 0;
}

int flick_sound_init(const char *app_name) {
    if (load_library() != 0) return -1;
    is_refused = prefers_pulse() && flick_pulse_lacks_device(app_name);
    if (is_refused) return -1;
    sdl.SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    sdl.SetHint(SDL_HINT_AUDIO_DEVICE_APP_NAME, app_name);
    return sdl.InitSubSystem(SDL_INIT_AUDIO) == 0 ? 0 : -1;
}

void flick_sound_quit(void) { sdl.QuitSubSystem(SDL_INIT_AUDIO); }

const char *flick_sound_error(void) {
    if (!is_loaded) return load_error;
    return is_refused ? "the PulseAudio server has no device" : sdl.GetError();
}

int flick_sound_is_loaded(void) { return is_loaded; }

uint32_t flick_sound_open(int rate, uint16_t *buffer) {
    SDL_AudioSpec wanted = {.freq = rate, .format = AUDIO_S16SYS, .channels = 2, .samples = *buffer}, got;
    uint32_t device = sdl.OpenAudioDevice(NULL, 0, &wanted, &got, 0);
    if (device == 0) return 0;
    *buffer = got.samples;
    sdl.PauseAudioDevice(device, 0);
    return device;
}

void flick_sound_close(uint32_t device) { sdl.CloseAudioDevice(device); }

int flick_sound_queue(uint32_t device, const void *bytes, size_t count) {
    return sdl.QueueAudio(device, bytes, (Uint32)count) == 0 ? 0 : -1;
}

size_t flick_sound_queued(uint32_t device) { return sdl.GetQueuedAudioSize(device); }

void flick_sound_clear(uint32_t device) { sdl.ClearQueuedAudio(device); }

void flick_sound_pause(uint32_t device) { sdl.PauseAudioDevice(device, 1); }

int flick_sound_has_gone(uint32_t device) { return sdl.GetAudioDeviceStatus(device) == SDL_AUDIO_STOPPED; }
