#ifndef FLICK_CSDL2_SHIM_H
#define FLICK_CSDL2_SHIM_H

#include <stddef.h>
#include <stdint.h>

// SDL's sound, as much of it as flick needs. On Linux the library is loaded when sound is first wanted: linked in, SDL
// brings some forty libraries (PulseAudio, X11, Wayland), which cost every start 7 ms. Any thread may call these.

/// Loads SDL and its audio subsystem. Blocks, for some tens of milliseconds or as long as a sound server takes. Returns
/// 0, or -1: `flick_sound_error` says why. Each success wants a `flick_sound_quit`.
///
/// A PulseAudio server without a device is refused here: SDL 2.26 hands `strlen` its missing default device.
int flick_sound_init(const char *app_name);
void flick_sound_quit(void);

/// Why the last call of this thread failed. Valid until the next call.
const char *flick_sound_error(void);
/// Whether `flick_sound_init` found the library.
int flick_sound_is_loaded(void);

/// Opens the default device for interleaved stereo of 16 bits in the machine's byte order, `rate` frames a second, and
/// starts it. SDL converts to what the device speaks. `buffer` is how many frames the device is to fetch at once, and
/// how many it will on return. Returns the device, or 0.
uint32_t flick_sound_open(int rate, uint16_t *buffer);
/// Waits for two buffers.
void flick_sound_close(uint32_t device);

/// Queues bytes behind those that wait. Returns 0, or -1.
int flick_sound_queue(uint32_t device, const void *bytes, size_t count);
/// Bytes that wait to be fetched.
size_t flick_sound_queued(uint32_t device);
void flick_sound_clear(uint32_t device);
void flick_sound_pause(uint32_t device);
/// Whether the device has gone: one that was pulled out reports itself as stopped (SDL_audio.h,
/// SDL_GetAudioDeviceStatus).
int flick_sound_has_gone(uint32_t device);

#endif
