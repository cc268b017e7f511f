#ifndef FLICK_CNCURSES_SHIM_H
#define FLICK_CNCURSES_SHIM_H

#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <term.h>

#include <stddef.h>

// MARK: terminfo

/// Reads the terminal's description (setupterm). Returns 1 when it was found, 0 when the terminal is unknown, -1 when there is no database.
int flick_terminfo_load(const char *name, int fd);

/// A string, a number (-1 when missing) and a flag of the description. Extended capabilities (`RGB`, `Tc`) are found too.
const char *flick_terminfo_string(const char *name);
int flick_terminfo_number(const char *name);
int flick_terminfo_flag(const char *name);

// MARK: the line's modes

/// Remembers the modes that the line of `fd` has now as the shell's. Returns 0, or -errno.
int flick_line_remember(int fd);

/// Sets the modes that flick reads keys with: no echo, every byte at once, ^C still a signal (so that it works while flick is busy), ^Z and ^\ plain
/// bytes. Returns 0, or -errno. Stops, like any job that touches the terminal from the background, until it is in the foreground.
int flick_line_take(int fd);

// MARK: signals

/// What has happened since the last `flick_signals_take`, as bits.
enum {
    FLICK_SIGNAL_INTERRUPT = 1,
    FLICK_SIGNAL_TERMINATE = 2,
    FLICK_SIGNAL_HANGUP = 4,
    FLICK_SIGNAL_STOP = 8,
    FLICK_SIGNAL_CONTINUE = 16,
    FLICK_SIGNAL_RESIZE = 32,
};

/// Installs the handlers of the whole process, once; later calls change nothing. Returns a descriptor that becomes readable when a signal has come, or
/// -errno. SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT and SIGWINCH are noted; a second one of the first three, a second or more after the first, means that
/// nobody listens: the terminal is given back and the process ends at once. Whatever else ends a process gives the terminal back first.
int flick_signals_install(void);

/// The bits of the signals that came since the last call, and an emptied descriptor. Does not block.
unsigned flick_signals_take(void);

/// Stops this process and its job as ^Z would, and returns when it runs again (at once, where no shell could ever continue it).
void flick_stop_job(void);

// MARK: the terminal is given back

/// From now on a crash, a fatal signal or exit() writes `count` bytes (at most 1,024) to `fd` and sets the shell's modes.
void flick_rescue_arm(int fd, const void *bytes, size_t count);

/// For a program that only writes to the terminal of `fd`, and reads no keys: `flick_rescue_arm`, and SIGINT, SIGTERM and SIGHUP give the terminal
/// back and end the process at once. Returns 0, or -errno if `fd` is no terminal.
int flick_rescue_guard(int fd, const void *bytes, size_t count);

/// The terminal was given back by other means: nothing is written any more.
void flick_rescue_disarm(void);

/// Gives the terminal back now, if it is armed, and disarms it. Waits at most 250 ms for a terminal that takes no bytes.
void flick_rescue_now(void);

#endif
