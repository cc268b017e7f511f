// The nursery: a process that has loaded what decoders need, and makes them by copying itself.
#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#ifdef MSG_NOSIGNAL
enum { SEND_FLAGS = MSG_NOSIGNAL };
#else
enum { SEND_FLAGS = 0 };
#endif

/// Room for the two descriptors that a request carries.
typedef union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(2 * sizeof(int))];
} descriptors;

int flick_nursery_ask(int socket, int channel, int ring) {
    char request = 0;
    struct iovec part = {&request, 1};
    descriptors given = {0};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = given.bytes, .msg_controllen = sizeof given.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(header), (int[]){channel, ring}, 2 * sizeof(int));
    while (sendmsg(socket, &message, MSG_DONTWAIT | SEND_FLAGS) < 0) {
        if (errno != EINTR) return -errno;
    }
    return 0;
}

int flick_nursery_answer(int socket, int milliseconds, int32_t *answer) {
    struct pollfd readable = {.fd = socket, .events = POLLIN};
    int ready;
    while ((ready = poll(&readable, 1, milliseconds)) < 0) {
        if (errno != EINTR) return -errno;
    }
    if (ready == 0) return -ETIMEDOUT;
    // An answer is sent whole: four bytes into an empty socket.
    ssize_t count = recv(socket, answer, sizeof *answer, 0);
    if (count == sizeof *answer) return *answer == 0 ? -EPROTO : 0;
    return count < 0 && errno != ECONNRESET ? -errno : -EPIPE;
}

/// Waits for a request. Returns the socket's errno, or 0 and the two descriptors; EPIPE once flick has closed its end.
static int receive_request(int received[2]) {
    char request;
    struct iovec part = {&request, 1};
    descriptors space;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = space.bytes, .msg_controllen = sizeof space.bytes};
    ssize_t count;
    while ((count = recvmsg(FLICK_NURSERY_FD, &message, 0)) < 0) {
        if (errno != EINTR) return errno;
    }
    if (count == 0) return EPIPE;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(2 * sizeof(int))) return EPROTO;
    memcpy(received, CMSG_DATA(header), 2 * sizeof(int));
    return 0;
}

static void answer(pid_t pid) {
    int32_t answer = pid;
    // If flick has gone, reading the next request fails.
    ssize_t sent = send(FLICK_NURSERY_FD, &answer, sizeof answer, SEND_FLAGS);
    (void)sent;
}

/// Puts a decoder's channel and ring where it looks for them. Both have higher numbers than the nursery's socket, and
/// the channel the lower of the two.
static void settle(const int received[2]) {
    dup2(received[0], FLICK_CHANNEL_FD);
    if (received[0] != FLICK_RING_FD) close(received[0]);
    if (received[1] == FLICK_RING_FD) return;
    dup2(received[1], FLICK_RING_FD);
    close(received[1]);
}

#ifdef __linux__

static void end_with(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // It may have ended before that call.
    if (getppid() != parent) _exit(0);
}

/// As fork(2), but the new process is the nursery's brother: a child of flick. Only with one thread.
///
/// Thread-local caches of the thread id are copied too, and name the nursery's thread. glibc's is in the thread's
/// descriptor, where CLONE_CHILD_SETTID writes the new one if the kernel says where that is (PR_GET_TID_ADDRESS).
/// The Swift runtime has two further ones, which nothing corrects: with them a contended FUTEX_LOCK_PI fails with
/// EPERM forever. So no Swift may run on the copied thread (`run_decoder`). docs/decisions/decoder-copies.md
static pid_t copy(void) {
    unsigned long flags = CLONE_PARENT | SIGCHLD;
    int *number = NULL;
    if (prctl(PR_GET_TID_ADDRESS, &number) == 0 && number) flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    // On other machines than x86-64 the last two change places.
#if defined __x86_64__
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, number, NULL);
#else
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, number);
#endif
}

#endif

/// The arguments of the decoder's thread.
struct decoder {
    flick_decode decode;
    void *context;
    int confinement;
};

static void *decoder_thread(void *argument) {
    const struct decoder *decoder = argument;
    decoder->decode(decoder->confinement, decoder->context);
    return NULL;
}

/// Runs a decoder on a new thread and ends the process with it. The calling thread runs
/// nothing but C and only waits: its thread-local storage may be the nursery's. It is confined
/// before the new thread begins, as Landlock holds for a thread and those that it makes.
static _Noreturn void run_decoder(flick_confine_process confine, flick_decode decode, void *context) {
    struct decoder decoder = {decode, context, confine()};
    pthread_attr_t attributes;
    pthread_t thread;
    // The default of a process's first thread. musl gives new threads 128 KB.
    int failed = pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, 8 << 20) != 0 ||
                 pthread_create(&thread, &attributes, decoder_thread, &decoder) != 0 || pthread_join(thread, NULL) != 0;
    // Without exit handlers: those of the nursery's libraries have nothing to do here.
    _exit(failed ? FLICK_EXIT_NO_THREAD : 0);
}

#ifdef __linux__

int flick_nursery_serve(flick_confine_process confine, flick_decode decode, void *context) {
    pid_t flick = getppid();
    if (fcntl(FLICK_NURSERY_FD, F_GETFD) < 0) return -1;
    end_with(flick);
    prctl(PR_SET_NAME, "flick-nursery");
    while (1) {
        int received[2];
        int error = receive_request(received);
        if (error == ENOTSOCK) return -1;
        if (error) _exit(error == EPIPE ? 0 : 1);
        pid_t pid = copy();
        if (pid == 0) {
            end_with(flick);
            prctl(PR_SET_NAME, "flick-decoder");
            settle(received);
            run_decoder(confine, decode, context);
        }
        error = errno;
        close(received[0]);
        close(received[1]);
        answer(pid < 0 ? -error : pid);
    }
}

#else

int flick_nursery_serve(flick_confine_process confine, flick_decode decode, void *context) {
    int received[2];
    int error = receive_request(received);
    if (error == EBADF || error == ENOTSOCK) return -1;
    if (error) _exit(error == EPIPE ? 0 : 1);
    answer(getpid());
    settle(received);
    run_decoder(confine, decode, context);
}

#endif
