#ifndef FLICK_CSDL2_SHIM_H
#define FLICK_CSDL2_SHIM_H

// SDL must not take over main() or install signal handlers of its own.
#define SDL_MAIN_HANDLED 1
#include <SDL2/SDL.h>

/// AUDIO_S16SYS is a macro of a macro, which Swift cannot import.
enum { flick_audio_s16 = AUDIO_S16SYS };

#endif
