#ifndef FLICK_CSDL2_PULSE_H
#define FLICK_CSDL2_PULSE_H

/// Whether a PulseAudio server answers and has no device to play on. Asks it over a connection of its own, for some
/// milliseconds or as long as the server takes. Returns 0 if there is no server, or no library to ask it with. Any
/// thread.
int flick_pulse_lacks_device(const char *app_name);

#endif
