#ifndef FLICK_CNCURSES_SHIM_H
#define FLICK_CNCURSES_SHIM_H

#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>
#include <term.h>

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>

// MARK: terminfo

/// Reads the terminal's description (setupterm). Returns 1 when it was found, 0 when the terminal is unknown, -1 when
/// there is no database.
int flick_terminfo_load(const char *name, int fd);

/// A string, a number (-1 when missing) and a flag of the description. Extended capabilities (`RGB`, `Tc`) are found
/// too.
const char *flick_terminfo_string(const char *name);
int flick_terminfo_number(const char *name);
int flick_terminfo_flag(const char *name);

/// A string of the description with one parameter put in (tiparm); NULL when it is missing. Valid until the next call.
const char *flick_terminfo_expand(const char *name, int parameter);

// MARK: the session

/// ncurses' screen on a terminal. It belongs to one thread, and there is one at a time.
///
/// ncurses blocks until its descriptor has accepted everything, so it gets
/// a file in memory. Its output is read from there and sent elsewhere.
typedef struct flick_session flick_session;

/// newterm() for `name`, whose description flick_terminfo_load() has just loaded for the descriptor `line`. Changes
/// nothing on the terminal before flick_session_resume. Sets LC_CTYPE, which says what ncurses may write. Returns NULL
/// if ncurses refuses.
flick_session *flick_session_begin(const char *name, int line, int unicode);

/// Sets the line's modes (flick_line_set_raw) and writes what sets up an empty screen of `high` rows and `wide`
/// columns. Returns 0, or -errno.
int flick_session_resume(flick_session *session, int high, int wide);

/// The terminal has another size. The screen has to be repainted.
void flick_session_resize(flick_session *session, int high, int wide);

/// Sets the shell's modes and writes what gives the screen back (endwin). Waits at most 200 ms for a terminal that
/// takes no bytes.
void flick_session_suspend(flick_session *session);

/// How many bytes ncurses has written since the last flick_session_read.
size_t flick_session_written(flick_session *session);

/// Copies at most `room` of them, and drops them all. Returns how many were copied.
size_t flick_session_read(flick_session *session, void *bytes, size_t room);
void flick_session_discard(flick_session *session);

/// The next key, if one has come: 1 and a character, 2 and a KEY_ code, else 0. Waits 25 ms at most, for what follows
/// an Escape.
int flick_session_key(flick_session *session, unsigned *code);

/// Frees it. The terminal must have been given back.
void flick_session_end(flick_session *session);

// MARK: painting

/// Colours from now on. Returns how many there are, or -1.
int flick_screen_start_color(void);
int flick_screen_pairs(void);

/// Makes a pair of colours known by a number from 1 on. Returns 0, or -1 if there are no more.
int flick_screen_set_pair(int pair, int foreground, int background);

/// Forgets all pairs (reset_color_pairs).
void flick_screen_forget_pairs(void);

/// The bits of a CellStyle as attributes.
unsigned flick_screen_attributes(unsigned style);

/// One character, or one with the marks that combine with it (scalars, ended by 0). Returns 0, or -1 if ncurses cannot
/// show it.
int flick_screen_character(cchar_t *cell, unsigned scalar, unsigned attributes, int pair);
int flick_screen_text(cchar_t *cell, const unsigned *scalars, unsigned attributes, int pair);

/// The columns that ncurses counts for a character; -1 if it does not occupy its own cell.
int flick_screen_width(unsigned scalar);

/// A window from the screen's corner on (newwin); NULL without memory.
void *flick_window_make(int high, int wide);
void flick_window_free(void *window);
void flick_window_put(void *window, int row, int column, const cchar_t *cells, int count);

/// Sends the whole row the next time (wredrawln), even where the terminal should show it already.
void flick_window_repaint(void *window, int row);

/// Has ncurses write what makes the terminal show the window (wnoutrefresh, doupdate).
void flick_window_show(void *window);

// MARK: the line's modes

/// Saves the modes that the line of `fd` has now: the shell's. Returns 0, or -errno.
int flick_line_save(int fd);

/// Sets the modes that flick reads keys with: no echo, every byte at once, ^C still a signal (so that it works while
/// flick is busy), ^Z and ^\ plain bytes. Returns 0, or -errno. In the background the kernel stops the job until it is
/// in the foreground.
int flick_line_set_raw(int fd);

/// Waits until the line has handled the bytes that are arriving. It sends the signal of a ^C before the bytes of the
/// same batch can be read (Linux, n_tty.c); FIONREAD takes the lock that it holds meanwhile.
void flick_line_settle(int fd);

/// The same, but a line feed still begins a line: for modes in which flick and other programs write lines.
int flick_line_set_keys(int fd);

/// Waits until everything written has been sent, at most `limit_ms`;
/// then the rest is discarded, so that nothing else waits for it.
void flick_line_drain(int fd, int limit_ms);

// MARK: signals

/// The signals since the last `flick_signals_read`, as bits.
enum {
    FLICK_SIGNAL_INTERRUPT = 1,
    FLICK_SIGNAL_TERMINATE = 2,
    FLICK_SIGNAL_HANGUP = 4,
    FLICK_SIGNAL_STOP = 8,
    FLICK_SIGNAL_CONTINUE = 16,
    FLICK_SIGNAL_RESIZE = 32,
};

/// Installs the handlers of the whole process, once; later calls change nothing. Returns a descriptor that becomes
/// readable when a signal has come, or -errno. SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT and SIGWINCH are deferred:
/// flick_signals_read reports them. If one of the first three is repeated a second or more later, the loop hangs: the
/// terminal is restored and the process ends at once. Any other signal that ends a process restores the terminal first.
int flick_signals_install(void);

/// The bits of the signals that came since the last call, and an emptied descriptor. Does not block.
unsigned flick_signals_read(void);
/// A SIGINT that came was not meant to end the process: the next one is the first again.
void flick_signals_forgive(void);

/// Stops this process and its job as ^Z would, and returns when it runs again (at once, where no shell could ever
/// continue it).
void flick_stop_job(void);

// MARK: writes that block

/// A thread that writes to the terminal and may block in write(2); other threads can interrupt it.
typedef struct flick_writer flick_writer;

/// A writer, to be freed after its thread has ended; NULL without memory.
flick_writer *flick_writer_make(void);
void flick_writer_free(flick_writer *writer);

/// Makes the calling thread the writer's. To be called before any other function on the writer but flick_writer_make.
void flick_writer_begin(flick_writer *writer);

/// Writes all of `bytes`. Blocks. Returns how many were written, fewer if the writer was stopped, or -errno. On the
/// writer's thread.
ssize_t flick_writer_write(flick_writer *writer, int fd, const void *bytes, size_t count);

/// Writes what a non-blocking descriptor has room for. Returns how much that was, or -1 with errno: EAGAIN if the
/// writer is stopped. On one thread, another than the writer's.
ssize_t flick_writer_send(flick_writer *writer, int fd, const void *bytes, size_t count);

/// Interrupts the current write; nothing more is written or sent until `flick_writer_allow`. Waits for both threads to
/// leave their writes, a second at most, and returns 1 if they have. May be called in a signal handler.
int flick_writer_stop(flick_writer *writer);
void flick_writer_allow(flick_writer *writer);

/// The writer that is stopped before a dying process gives the terminal back; NULL for none.
void flick_rescue_stops(flick_writer *writer);

// MARK: restoring the terminal

/// From now on a crash, a fatal signal or exit() writes `count` bytes (at most 4,096) to `fd` and sets the shell's
/// modes.
void flick_rescue_arm(int fd, const void *bytes, size_t count);

/// For a program that only writes to the terminal of `fd`, and reads no keys: `flick_rescue_arm`, and SIGINT, SIGTERM
/// and SIGHUP give the terminal back and end the process at once. SIGTSTP gives it back while the process is stopped;
/// afterwards the cursor is hidden again (DECTCEM). Returns 0, or -errno if `fd` is no terminal.
int flick_rescue_guard(int fd, const void *bytes, size_t count);

/// How many answers to questions (DA1, DSR) the terminal still owes. A dying process waits for them for `patience_ms`
/// (milliseconds) at most, as the shell would echo them.
void flick_rescue_awaits(int answers, int patience_ms);

/// The terminal was given back by other means: from now on flick_rescue_now does nothing.
void flick_rescue_disarm(void);

/// Gives the terminal back now, if flick_rescue_arm was called, and disarms. Waits about 300 ms at most for a terminal
/// that takes no bytes, and 100 ms for one that owes answers.
void flick_rescue_now(void);

// MARK: shared memory

/// A new object in POSIX shared memory of this name ("/name"), for reading and writing;
/// its memory exists. NULL if the system has no shared memory or the name is taken.
void *flick_shared_make(const char *name, size_t bytes);

/// The memory of `flick_shared_make` is written; the object stays.
void flick_shared_leave(void *memory, size_t bytes);

int flick_shared_exists(const char *name);
void flick_shared_remove(const char *name);

/// Removes this user's objects whose names begin with `prefix` (without a slash), if nothing was written to them for
/// `seconds`.
void flick_shared_remove_old(const char *prefix, int seconds);

#endif
