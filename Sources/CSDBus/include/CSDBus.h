#ifndef FLICK_SDBUS_H
#define FLICK_SDBUS_H

#include <stddef.h>
#include <stdint.h>

// The part of libsystemd's sd-bus that flick needs: its media player for the desktop (MPRIS 2.2), and logind's
// inhibitors. On Linux it is loaded when flick first wants a bus. Where there is no sd-bus, loading fails.

/// Loads the library. Returns 0, or -1: `flick_bus_load_error` says why. Any thread.
int flick_bus_load(void);
const char *flick_bus_load_error(void);

// The rest only once it is loaded. A connection belongs to one thread at a time, and nothing waits for the bus: what is
// sent before it has answered is queued.

typedef struct flick_bus flick_bus;

/// Begins to connect to the user's bus, or to the system's. NULL: it cannot; `code` is the errno, 0 without an address.
flick_bus *flick_bus_open(int is_system, int *code);
/// Drops what is not sent yet. The bus then forgets the connection's names.
void flick_bus_close(flick_bus *bus);

/// What to wait for with poll(2), and at most for how many milliseconds (-1: for ever), before `flick_bus_process`.
int flick_bus_descriptor(flick_bus *bus);
int flick_bus_events(flick_bus *bus);
int flick_bus_timeout(flick_bus *bus);

/// Sends and receives what is due, at most one message. Returns 1 if there is more to do, 0 if not, or a negative errno
/// if the connection is lost.
int flick_bus_process(flick_bus *bus);

/// Whether the bus has accepted the connection.
int flick_bus_is_ready(flick_bus *bus);

enum { FLICK_PLAYER_STOPPED = 0, FLICK_PLAYER_PAUSED = 1, FLICK_PLAYER_PLAYING = 2 };

/// What the player shows. Texts are UTF-8 and end with NUL; NULL: missing. Times are in microseconds.
typedef struct {
    /// An object path, which is another one for each item that comes into view.
    const char *track;
    const char *title, *artist, *url, *artwork;
    /// 0: unknown.
    int64_t length;
    /// Now.
    int64_t position;
    double rate;
    /// 0 … 1.
    double volume;
    /// One of the above.
    int status;
    /// Whether the position moves by itself.
    int is_moving;
    int has_next, has_previous, can_seek;
} flick_player;

enum {
    FLICK_PLAYER_NEXT, FLICK_PLAYER_PREVIOUS, FLICK_PLAYER_PLAY, FLICK_PLAYER_PAUSE, FLICK_PLAYER_PLAY_PAUSE,
    FLICK_PLAYER_STOP, FLICK_PLAYER_QUIT,
    /// By `time`.
    FLICK_PLAYER_SEEK,
    /// To `time`.
    FLICK_PLAYER_SET_POSITION,
    /// To `number`.
    FLICK_PLAYER_SET_RATE, FLICK_PLAYER_SET_VOLUME,
};

/// Called by `flick_bus_process` with a request of another program, one of the above.
typedef void (*flick_player_request)(void *context, int request, int64_t time, double number);
/// Called by `flick_bus_process`, once, if the bus refuses something, with the reason.
typedef void (*flick_bus_failure)(void *context, const char *why);

/// Offers `player` at the bus under `name`, which begins with "org.mpris.MediaPlayer2.". Returns 0 or a negative errno.
int flick_bus_offer_player(
    flick_bus *bus, const char *name, const flick_player *player, flick_player_request request,
    flick_bus_failure failure, void *context);

/// The player is like this now. Announces what differs; `has_jumped`: that its position has changed by more than time.
/// Returns 0 or a negative errno.
int flick_bus_update_player(flick_bus *bus, const flick_player *player, int has_jumped);

/// Called by `flick_bus_process` with a descriptor, which belongs to the callee: the inhibitor holds while it is open.
/// Or with -1, and `why`.
typedef void (*flick_inhibited)(void *context, int descriptor, const char *why);

/// Asks logind, on the system's bus, for an inhibitor of `what` ("sleep:idle"). Returns 0 or a negative errno.
int flick_bus_inhibit(
    flick_bus *bus, const char *what, const char *who, const char *why, flick_inhibited answered, void *context);

#endif
