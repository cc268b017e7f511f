// Writes that may block, and that another thread or a signal handler can interrupt.
#define _GNU_SOURCE
#include "shim.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct flick_writer {
    pthread_t thread;
    /// The thread that sends, while it does.
    pthread_t sender;
    atomic_int is_writing;
    atomic_int is_sending;
    atomic_int is_stopped;
};

/// SIGURG is ignored by default and sent by nothing that flick uses; without SA_RESTART its handler interrupts a write
/// that blocks.
#define INTERRUPT_WRITE SIGURG

/// How long a thread is waited for that has to leave its write. A terminal that takes nothing does not keep it there,
/// but a busy machine may not let it run for a tenth of a second; what it wrote later would be left on the screen.
enum { LONGEST_WAIT_MS = 1000 };

static void on_interrupt(int number) { (void)number; }

flick_writer *flick_writer_make(void) { return calloc(1, sizeof(flick_writer)); }

void flick_writer_free(flick_writer *writer) { free(writer); }

void flick_writer_begin(flick_writer *writer) {
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(INTERRUPT_WRITE, &action, NULL);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, INTERRUPT_WRITE);
    pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
    writer->thread = pthread_self();
#ifdef __APPLE__
    pthread_setname_np("terminal");
#else
    pthread_setname_np(writer->thread, "terminal");
#endif
}

ssize_t flick_writer_write(flick_writer *writer, int fd, const void *bytes, size_t count) {
    const unsigned char *rest = bytes;
    size_t left = count;
    int failure = 0;
    // In this order: a thread that stops the writer first raises `is_stopped`, then looks at `is_writing`.
    atomic_store(&writer->is_writing, 1);
    while (left > 0 && !atomic_load(&writer->is_stopped)) {
        ssize_t sent = write(fd, rest, left);
        if (sent >= 0) {
            rest += sent;
            left -= (size_t)sent;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            // Another process has made the line non-blocking.
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            failure = errno;
            break;
        }
    }
    atomic_store(&writer->is_writing, 0);
    return failure ? -failure : (ssize_t)(count - left);
}

ssize_t flick_writer_send(flick_writer *writer, int fd, const void *bytes, size_t count) {
    writer->sender = pthread_self();
    // In this order, as above.
    atomic_store(&writer->is_sending, 1);
    ssize_t sent = -1;
    errno = EAGAIN;
    if (!atomic_load(&writer->is_stopped)) {
        do {
            sent = write(fd, bytes, count);
        } while (sent < 0 && errno == EINTR && !atomic_load(&writer->is_stopped));
    }
    atomic_store(&writer->is_sending, 0);
    return sent;
}

int flick_writer_stop(flick_writer *writer) {
    atomic_store(&writer->is_stopped, 1);
    pthread_t self = pthread_self();
    for (int waited = 0;; waited++) {
        // In a signal handler on one of the two threads: its own write is interrupted already.
        int writes = atomic_load(&writer->is_writing) && !pthread_equal(writer->thread, self);
        int sends = atomic_load(&writer->is_sending) && !pthread_equal(writer->sender, self);
        if (!writes && !sends) return 1;
        if (waited >= LONGEST_WAIT_MS) return 0;
        // A signal that comes just before the write begins does not interrupt it, so the signal is sent until the
        // write is over.
        if (writes) pthread_kill(writer->thread, INTERRUPT_WRITE);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

void flick_writer_allow(flick_writer *writer) { atomic_store(&writer->is_stopped, 0); }
