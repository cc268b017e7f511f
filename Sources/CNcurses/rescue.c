// Signals, and restoring the terminal. What a handler calls here is on POSIX's list of functions that are safe in one
// (signal-safety(7)), but for nanosleep, pthread_equal and pthread_self. These take no lock and no memory in glibc,
// musl and Apple's library, so a handler can call them there.
#define _GNU_SOURCE
#include "shim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

// A handler may run at any moment, so `armed` is raised last and lowered first.
static struct termios shell_modes;
static unsigned char rescue_bytes[4096];
static size_t rescue_count;
static int rescue_fd = -1;
static atomic_int armed;
static _Atomic(flick_writer *) writer;
static atomic_int answers_owed, answers_patience_ms;

static atomic_uint pending;
static atomic_llong first_end_ms;
static int signal_pipe[2] = {-1, -1};

static long long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// MARK: the line's modes

int flick_line_save(int fd) { return tcgetattr(fd, &shell_modes) == 0 ? 0 : -errno; }

static int set_modes(int fd, int for_lines) {
    struct termios modes = shell_modes;
    modes.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
    if (!for_lines) modes.c_oflag &= ~(tcflag_t)OPOST;
    modes.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN);
    // NOFLSH: a ^C must not throw away half of an escape sequence that is on its way out.
    modes.c_lflag |= ISIG | NOFLSH;
    modes.c_cflag &= ~(tcflag_t)(CSIZE | PARENB);
    modes.c_cflag |= CS8;
    modes.c_cc[VINTR] = 3;
    modes.c_cc[VQUIT] = _POSIX_VDISABLE;
    modes.c_cc[VSUSP] = _POSIX_VDISABLE;
#ifdef VDSUSP
    modes.c_cc[VDSUSP] = _POSIX_VDISABLE;
#endif
    modes.c_cc[VMIN] = 1;
    modes.c_cc[VTIME] = 0;
    // TCSANOW throughout: waiting for the output to drain would hang on a terminal that was stopped with ^S.
    while (tcsetattr(fd, TCSANOW, &modes) != 0) {
        if (errno != EINTR) return -errno;
    }
    return 0;
}

int flick_line_set_raw(int fd) { return set_modes(fd, 0); }

void flick_line_settle(int fd) {
    int count = 0;
    ioctl(fd, FIONREAD, &count);
}

int flick_line_set_keys(int fd) { return set_modes(fd, 1); }

void flick_line_drain(int fd, int limit_ms) {
    long long end = now_ms() + limit_ms;
    int left = 0;
    while (ioctl(fd, TIOCOUTQ, &left) == 0 && left > 0) {
        if (now_ms() >= end) {
            tcflush(fd, TCOFLUSH);
            return;
        }
        struct timespec pause = {.tv_nsec = 2000000};
        nanosleep(&pause, NULL);
    }
}

// MARK: restoring the terminal

// What the terminal still answers would be echoed by the shell's line, as "^[[0n". Answers end with an n (DSR) or a c
// (DA1).
static void take_answers(int fd) {
    int owed = atomic_load(&answers_owed);
    if (owed <= 0 || tcgetpgrp(fd) != getpgrp()) return;
    long long end = now_ms() + atomic_load(&answers_patience_ms);
    while (owed > 0) {
        long long left = end - now_ms();
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (left <= 0 || poll(&wait, 1, (int)left) <= 0 || !(wait.revents & POLLIN)) return;
        char bytes[256];
        ssize_t count = read(fd, bytes, sizeof bytes);
        if (count <= 0) return;
        for (ssize_t index = 0; index < count; index++) owed -= bytes[index] == 'n' || bytes[index] == 'c';
    }
}

void flick_rescue_now(void) {
    if (!atomic_exchange(&armed, 0)) return;
    // While another thread is within write(2), the kernel blocks all other writers.
    flick_writer *other = atomic_load(&writer);
    if (other) flick_writer_stop(other);
    // A terminal that takes nothing for 200 ms is stopped or gone. The kernel's queue, which holds nothing but
    // pictures, is then emptied to make room for these bytes: a stalled ssh session that comes back must not find its
    // shell in the alternate screen, without a cursor.
    long long end = now_ms() + 200;
    size_t done = 0;
    int flushed = 0;
    while (done < rescue_count) {
        if (now_ms() >= end) {
            if (flushed) break;
            flushed = 1;
            tcflush(rescue_fd, TCOFLUSH);
            // The part of these bytes that was written may have been in that queue.
            done = 0;
            end = now_ms() + 50;
        }
        // Polled first, as the descriptor may be a blocking one.
        struct pollfd wait = {.fd = rescue_fd, .events = POLLOUT};
        if (poll(&wait, 1, 50) <= 0) continue;
        ssize_t count = write(rescue_fd, rescue_bytes + done, rescue_count - done);
        if (count > 0) {
            done += (size_t)count;
        } else if (count < 0 && errno != EINTR && errno != EAGAIN) {
            break;
        }
    }
    if (done == rescue_count) take_answers(rescue_fd);
    tcsetattr(rescue_fd, TCSANOW, &shell_modes);
}

void flick_rescue_stops(flick_writer *stopped) { atomic_store(&writer, stopped); }

void flick_rescue_awaits(int answers, int patience_ms) {
    atomic_store(&answers_patience_ms, patience_ms);
    atomic_store(&answers_owed, answers);
}

void flick_rescue_disarm(void) { atomic_store(&armed, 0); }

void flick_rescue_arm(int fd, const void *bytes, size_t count) {
    atomic_store(&armed, 0);
    rescue_count = count < sizeof rescue_bytes ? count : sizeof rescue_bytes;
    memcpy(rescue_bytes, bytes, rescue_count);
    rescue_fd = fd;
    atomic_store(&armed, 1);
}

// MARK: signals

static void set_handler(int number, void (*handler)(int), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void on_fatal(int number) {
    flick_rescue_now();
    // The signal is blocked while its handler runs: on return it ends the process, with a core dump if it is one that
    // makes one.
    set_handler(number, SIG_DFL, 0);
    raise(number);
}

static void on_deferred(int number) {
    int saved = errno;
    unsigned bit = 0;
    switch (number) {
    case SIGINT: bit = FLICK_SIGNAL_INTERRUPT; break;
    case SIGTERM: bit = FLICK_SIGNAL_TERMINATE; break;
    case SIGHUP: bit = FLICK_SIGNAL_HANGUP; break;
    case SIGTSTP: bit = FLICK_SIGNAL_STOP; break;
    case SIGCONT: bit = FLICK_SIGNAL_CONTINUE; break;
    case SIGWINCH: bit = FLICK_SIGNAL_RESIZE; break;
    }
    if (bit & (FLICK_SIGNAL_INTERRUPT | FLICK_SIGNAL_TERMINATE | FLICK_SIGNAL_HANGUP)) {
        long long now = now_ms(), first = 0;
        if (!atomic_compare_exchange_strong(&first_end_ms, &first, now) && now - first >= 1000) {
            flick_rescue_now();
            _exit(128 + number);
        }
    }
    atomic_fetch_or(&pending, bit);
    // A full pipe is readable already.
    ssize_t ignored = write(signal_pipe[1], "", 1);
    (void)ignored;
    errno = saved;
}

// What ends a process by default (signal(7)), but for SIGXFSZ, which flick ignores; real-time signals, which do too,
// are added below. Swift's traps are SIGILL or SIGTRAP.
static const int fatal[] = {
    SIGSEGV, SIGABRT, SIGBUS,  SIGILL,  SIGFPE,  SIGTRAP,   SIGQUIT, SIGSYS,
    SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF,
#ifdef __linux__
    // Elsewhere SIGIO is ignored by default, and the others are unknown.
    SIGIO,   SIGPWR,  SIGSTKFLT,
#endif
};
static const int deferred[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGWINCH};
enum { FATAL = sizeof fatal / sizeof *fatal, DEFERRED = sizeof deferred / sizeof *deferred };

/// The parent process (or thread) may have had signals blocked, which is inherited.
static void unblock(void) {
    sigset_t all;
    sigemptyset(&all);
    for (size_t i = 0; i < FATAL; i++) sigaddset(&all, fatal[i]);
#ifdef SIGRTMIN
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) sigaddset(&all, number);
#endif
    for (size_t i = 0; i < DEFERRED; i++) sigaddset(&all, deferred[i]);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
}

/// A signal that flick was started with as ignored stays ignored.
static void catch_unless_ignored(int number, void (*handler)(int), int flags) {
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN) return;
    set_handler(number, handler, flags);
}

static void catch_fatal(void) {
    // On a separate stack the handler also runs after a stack overflow (of the main thread).
    static unsigned char stack[64 * 1024];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = 0};
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < FATAL; i++) catch_unless_ignored(fatal[i], on_fatal, SA_ONSTACK);
#ifdef SIGRTMIN
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) catch_unless_ignored(number, on_fatal, SA_ONSTACK);
#endif
    atexit(flick_rescue_now);
}

// For a program that has no loop to stop in.
static void on_stop(int number) {
    int saved = errno, was_armed = atomic_load(&armed);
    flick_rescue_now();
    set_handler(number, SIG_DFL, 0);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
    // The shell has continued it.
    set_handler(number, on_stop, SA_ONSTACK | SA_RESTART);
    if (was_armed) {
        static const char hidden[] = "\033[?25l";
        ssize_t ignored = write(rescue_fd, hidden, sizeof hidden - 1);
        (void)ignored;
        atomic_store(&armed, 1);
    }
    errno = saved;
}

int flick_rescue_guard(int fd, const void *bytes, size_t count) {
    int remembered = flick_line_save(fd);
    if (remembered != 0) return remembered;
    catch_fatal();
    // There is no loop that reads these: they end the process at once, as they would without a handler.
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) set_handler(ending[i], on_fatal, SA_ONSTACK);
    flick_rescue_arm(fd, bytes, count);
    catch_unless_ignored(SIGTSTP, on_stop, SA_ONSTACK | SA_RESTART);
    unblock();
    return 0;
}

int flick_signals_install(void) {
    unblock();
    if (signal_pipe[0] >= 0) return signal_pipe[0];
    int ends[2];
    if (pipe(ends) != 0) return -errno;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    signal_pipe[0] = ends[0];
    signal_pipe[1] = ends[1];

    catch_fatal();
    for (size_t i = 0; i < DEFERRED; i++) set_handler(deferred[i], on_deferred, SA_ONSTACK | SA_RESTART);
    // When a decoder has died, write(2) reports it.
    set_handler(SIGPIPE, SIG_IGN, 0);
    return signal_pipe[0];
}

unsigned flick_signals_read(void) {
    char scrap[64];
    while (signal_pipe[0] >= 0 && read(signal_pipe[0], scrap, sizeof scrap) > 0) {}
    return atomic_exchange(&pending, 0);
}

void flick_signals_forgive(void) { atomic_store(&first_end_ms, 0); }

void flick_stop_job(void) {
    // The rest of the job first, this process last, by a signal to this very thread: it then stops before raise()
    // returns. A signal to the whole process could go to another thread, and the terminal be taken over again before
    // the stop.
    set_handler(SIGTSTP, SIG_IGN, 0);
    kill(0, SIGTSTP);
    set_handler(SIGTSTP, SIG_DFL, 0);
    raise(SIGTSTP);
    set_handler(SIGTSTP, on_deferred, SA_ONSTACK | SA_RESTART);
}
