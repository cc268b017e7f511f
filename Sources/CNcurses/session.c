// ncurses' screen. ncurses does not write to the terminal by itself, but into a file in memory.
#define _GNU_SOURCE
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wchar.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

struct flick_session {
    SCREEN *screen;
    /// The description (TERMINAL) whose descriptor is the terminal; `screen` was made with another, whose descriptor is
    /// the file in memory.
    TERMINAL *terminal;
    TERMINAL *made_with;
    FILE *output;
    FILE *input;
    int memory;
    int line;
    /// Keys are read through it: unlike a window's, a pad's `wget_wch` never refreshes the screen.
    WINDOW *keys;
};

static FILE *memory_file(void) {
#ifdef __linux__
    int fd = memfd_create("flick-screen", MFD_CLOEXEC);
    return fd < 0 ? NULL : fdopen(fd, "w+");
#else
    return tmpfile();
#endif
}

static void set_locale(int unicode) {
    // ncurses takes from the locale, not from the terminal, what it may write. "UTF-8" is macOS' name for it.
    static const char *const names[] = {"C.UTF-8", "en_US.UTF-8", "UTF-8"};
    if (!unicode) {
        setlocale(LC_CTYPE, "C");
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (setlocale(LC_CTYPE, names[i])) return;
    }
    setlocale(LC_CTYPE, "");
}

/// On a wyse60 `\b` is Backspace and Left, and `\n` is Enter and Down: such keys are to be arrows.
static void prefer_arrows(void) {
    static const struct {
        const char *capability;
        int code;
    } arrows[] = {{"kcub1", KEY_LEFT}, {"kcud1", KEY_DOWN}, {"kcuf1", KEY_RIGHT}, {"kcuu1", KEY_UP}};
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++) {
        const char *spelling = flick_terminfo_string(arrows[i].capability);
        if (spelling) define_key(spelling, arrows[i].code);
    }
}

flick_session *flick_session_begin(const char *name, int line, int unicode) {
    flick_session *session = calloc(1, sizeof *session);
    if (!session) return NULL;
    int copy = fcntl(line, F_DUPFD_CLOEXEC, 3);
    session->line = line;
    session->output = memory_file();
    session->input = copy < 0 ? NULL : fdopen(copy, "r");
    session->terminal = cur_term;
    if (!session->output || !session->input) goto failed;
    session->memory = fileno(session->output);
    set_locale(unicode);
    // The size comes from the terminal's line, by flick_session_resume. Without this, ncurses refuses a description
    // that has none (linux).
    use_env(TRUE);
    session->screen = newterm(name, session->output, session->input);
    if (!session->screen) goto failed;
    session->made_with = set_curterm(session->terminal);
    // Never looks whether keys are waiting: where the terminal's answers come in, InputParser reads.
    typeahead(-1);
    raw();
    noecho();
    nonl();
    curs_set(0);
    session->keys = newpad(1, 1);
    if (!session->keys) goto failed;
    nodelay(session->keys, TRUE);
    // How long ncurses waits for what may follow an Escape, in milliseconds.
    set_escdelay(25);
    keypad(session->keys, TRUE);
    prefer_arrows();
    // Everything written so far is for a screen of another size. flick_session_resume begins as after a suspension.
    endwin();
    flick_session_discard(session);
    return session;
failed:
    flick_session_end(session);
    return NULL;
}

int flick_session_resume(flick_session *session, int high, int wide) {
    // Every byte at once, as with raw(), but ^C stays a signal.
    int taken = flick_line_set_raw(session->line);
    if (taken != 0) return taken;
    set_term(session->screen);
    def_prog_mode();
    resizeterm(high, wide);
    reset_prog_mode();
    clearok(curscr, TRUE);
    doupdate();
    keypad(session->keys, TRUE);
    return 0;
}

void flick_session_resize(flick_session *session, int high, int wide) {
    set_term(session->screen);
    resizeterm(high, wide);
}

void flick_session_suspend(flick_session *session) {
    set_term(session->screen);
    // endwin() waits until the line has sent everything, for ever on one that was stopped with ^S.
    flick_line_drain(session->line, 200);
    // So that the next flick_session_resume begins with an empty screen: the painter repaints all of it.
    werase(newscr);
    endwin();
}

size_t flick_session_written(flick_session *session) {
    off_t count = lseek(session->memory, 0, SEEK_CUR);
    return count > 0 ? (size_t)count : 0;
}

size_t flick_session_read(flick_session *session, void *bytes, size_t room) {
    size_t done = 0, count = flick_session_written(session);
    if (count > room) count = room;
    while (done < count) {
        ssize_t got = pread(session->memory, (char *)bytes + done, count - done, (off_t)done);
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            break;
        }
    }
    flick_session_discard(session);
    return done;
}

void flick_session_discard(flick_session *session) { lseek(session->memory, 0, SEEK_SET); }

int flick_session_key(flick_session *session, unsigned *code) {
    set_term(session->screen);
    wint_t found = 0;
    int kind = wget_wch(session->keys, &found);
    *code = (unsigned)found;
    return kind == KEY_CODE_YES ? 2 : kind == OK ? 1 : 0;
}

void flick_session_end(flick_session *session) {
    if (!session) return;
    if (session->screen) {
        set_term(session->screen);
        if (session->keys) delwin(session->keys);
        // Frees the description of the terminal's line too.
        delscreen(session->screen);
        if (session->made_with) del_curterm(session->made_with);
    }
    if (session->output) fclose(session->output);
    if (session->input) fclose(session->input);
    free(session);
}

// MARK: painting

int flick_screen_start_color(void) {
    if (start_color() == ERR) return -1;
    use_default_colors();
    return COLORS;
}

int flick_screen_pairs(void) { return COLOR_PAIRS; }

int flick_screen_set_pair(int pair, int foreground, int background) {
    return init_extended_pair(pair, foreground, background) == OK ? 0 : -1;
}

void flick_screen_forget_pairs(void) { reset_color_pairs(); }

unsigned flick_screen_attributes(unsigned style) {
    attr_t attributes = A_NORMAL;
    if (style & 1) attributes |= A_BOLD;
    if (style & 2) attributes |= A_DIM;
    if (style & 4) attributes |= A_ITALIC;
    if (style & 8) attributes |= A_UNDERLINE;
    if (style & 16) attributes |= A_REVERSE;
    return (unsigned)attributes;
}

int flick_screen_character(cchar_t *cell, unsigned scalar, unsigned attributes, int pair) {
    wchar_t text[2] = {(wchar_t)scalar, 0};
    return setcchar(cell, text, (attr_t)attributes, 0, &pair) == OK ? 0 : -1;
}

int flick_screen_text(cchar_t *cell, const unsigned *scalars, unsigned attributes, int pair) {
    wchar_t text[CCHARW_MAX + 1];
    size_t count = 0;
    while (count < CCHARW_MAX && scalars[count]) {
        text[count] = (wchar_t)scalars[count];
        count++;
    }
    text[count] = 0;
    return setcchar(cell, text, (attr_t)attributes, 0, &pair) == OK ? 0 : -1;
}

int flick_screen_width(unsigned scalar) { return wcwidth((wchar_t)scalar); }

void *flick_window_make(int high, int wide) {
    WINDOW *window = newwin(high, wide, 0, 0);
    if (!window) return NULL;
    // The cursor is hidden: it may stay wherever the last character left it.
    leaveok(window, TRUE);
    // A new window counts as changed everywhere; only rows that are put into it are to be shown.
    untouchwin(window);
    return window;
}

void flick_window_free(void *window) { delwin(window); }

void flick_window_put(void *window, int row, int column, const cchar_t *cells, int count) {
    mvwadd_wchnstr(window, row, column, cells, count);
}

void flick_window_repaint(void *window, int row) { wredrawln(window, row, 1); }

void flick_window_show(void *window) {
    wnoutrefresh(window);
    doupdate();
}
