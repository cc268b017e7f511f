#ifndef FLICK_CSDL2_PULSE_H
#define FLICK_CSDL2_PULSE_H

/// Whether a PulseAudio server answers and has no device to play on. Queries it over
/// a separate connection, for some milliseconds or however long the server takes.
/// Returns 0 if there is no server, or no library to query it with. Any thread.
int flick_pulse_lacks_device(const char *app_name);

#endif
