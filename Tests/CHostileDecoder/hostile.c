#define _GNU_SOURCE
#include "CHostileDecoder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef SYS_fork
enum { OLD_FORK = SYS_fork };
#else
// The machine has none: a number that no call has.
enum { OLD_FORK = 5001 };
#endif
enum { MOST = 160 };

/// What the copy leaves for the process that made it.
struct report {
    int count;
    int parts;
    struct hostile_attempt attempts[MOST];
};

static struct report *report;
static int is_confined;

/// One attempt: a system call. Without a sandbox only harmless calls are made.
static void attempt(const char *name, int is_harmless, long call, long a, long b, long c, long d, long e, long f) {
    if (!is_confined && !is_harmless) return;
    errno = 0;
    long result = syscall(call, a, b, c, d, e, f);
    struct hostile_attempt *slot = &report->attempts[report->count];
    *slot = (struct hostile_attempt){.name = name, .is_harmless = is_harmless, .error = result < 0 ? errno : 0};
    // A process that was created by mistake must not continue here.
    if (result == 0 && (call == SYS_clone || call == SYS_clone3 || call == OLD_FORK)) _exit(0);
    report->count++;
}

#define TRY(name, call, ...) ATTEMPT(name, 0, call, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define TRY_HARMLESS(name, call, ...) ATTEMPT(name, 1, call, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define ATTEMPT(name, harmless, call, a, b, c, d, e, f, ...) \
    attempt(name, harmless, call, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

static void try_files(void) {
    TRY_HARMLESS("openat /etc/passwd", SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY);
    TRY_HARMLESS("openat /", SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY);
    TRY_HARMLESS("openat /proc/self/mem", SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR);
    TRY_HARMLESS("openat /dev/null", SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY);
    TRY("openat, made", SYS_openat, AT_FDCWD, "/tmp/flick-hostile", O_CREAT | O_RDWR, 0600);
    TRY("openat2", SYS_openat2, AT_FDCWD, "/etc/passwd", (uint64_t[3]){O_RDONLY}, 24);
    TRY_HARMLESS("faccessat", SYS_faccessat, AT_FDCWD, "/etc/passwd", R_OK);
    TRY_HARMLESS("readlinkat", SYS_readlinkat, AT_FDCWD, "/proc/self/exe", (char[256]){0}, 256);
    TRY_HARMLESS("getcwd", SYS_getcwd, (char[4096]){0}, 4096);
    TRY_HARMLESS("chdir", SYS_chdir, "/");
    TRY("mkdirat", SYS_mkdirat, AT_FDCWD, "/tmp/flick-hostile", 0700);
    TRY("unlinkat", SYS_unlinkat, AT_FDCWD, "/tmp/flick-hostile", 0);
    TRY("renameat2", SYS_renameat2, AT_FDCWD, "/tmp/flick-hostile", AT_FDCWD, "/tmp/flick-hostile-2", 0);
    TRY("symlinkat", SYS_symlinkat, "/etc/passwd", AT_FDCWD, "/tmp/flick-hostile");
    TRY("linkat", SYS_linkat, AT_FDCWD, "/etc/passwd", AT_FDCWD, "/tmp/flick-hostile", 0);
    TRY("mknodat", SYS_mknodat, AT_FDCWD, "/tmp/flick-hostile", 0010600, 0);
    TRY("fchmodat", SYS_fchmodat, AT_FDCWD, "/tmp/flick-hostile", 0777);
    TRY("fchownat", SYS_fchownat, AT_FDCWD, "/tmp/flick-hostile", 0, 0, 0);
    TRY("truncate", SYS_truncate, "/tmp/flick-hostile", 0);
    TRY("ftruncate of the ring", SYS_ftruncate, 4, 0);
    TRY("fallocate", SYS_fallocate, 4, 3, 0, 4096);
    TRY("utimensat", SYS_utimensat, AT_FDCWD, "/tmp/flick-hostile", 0, 0);
    TRY("statfs", SYS_statfs, "/", (char[256]){0});
    TRY("inotify", SYS_inotify_init1, 0);
    TRY("fanotify", SYS_fanotify_init, 0, 0);
    TRY("open_by_handle_at", SYS_open_by_handle_at, 0, (char[64]){0}, 0);
    TRY("chroot", SYS_chroot, "/");
    TRY("mount", SYS_mount, "none", "/mnt", "tmpfs", 0, 0);
    TRY("umount", SYS_umount2, "/mnt", 0);
    TRY("pivot_root", SYS_pivot_root, "/", "/");
    TRY("write", SYS_write, 2, "", 0);
    TRY("sendfile", SYS_sendfile, 3, 4, 0, 1);
    TRY("splice", SYS_splice, 3, 0, 4, 0, 1, 0);
    TRY("ioctl", SYS_ioctl, 0, 0x5412 /* TIOCSTI */, "x");
}

static void try_descriptors(void) {
    TRY_HARMLESS("memfd_create", SYS_memfd_create, "x", 0);
    TRY_HARMLESS("pipe2", SYS_pipe2, (int[2]){0}, 0);
    TRY_HARMLESS("dup", SYS_dup, 0);
    TRY("dup3", SYS_dup3, 3, 9, 0);
    TRY_HARMLESS("fcntl", SYS_fcntl, 0, F_DUPFD, 20);
    TRY_HARMLESS("eventfd", SYS_eventfd2, 0, 0);
    TRY_HARMLESS("epoll", SYS_epoll_create1, 0);
    TRY_HARMLESS("timerfd", SYS_timerfd_create, CLOCK_MONOTONIC, 0);
    TRY("userfaultfd", SYS_userfaultfd, 0);
    TRY("io_uring", SYS_io_uring_setup, 8, (char[120]){0});
    TRY("io_setup", SYS_io_setup, 8, (uint64_t[1]){0});
}

static void try_network(void) {
    TRY_HARMLESS("socket, TCP", SYS_socket, AF_INET, SOCK_STREAM, 0);
    TRY_HARMLESS("socket, UDP", SYS_socket, AF_INET, SOCK_DGRAM, 0);
    TRY_HARMLESS("socket, IPv6", SYS_socket, AF_INET6, SOCK_STREAM, 0);
    TRY_HARMLESS("socket, local", SYS_socket, AF_UNIX, SOCK_STREAM, 0);
    TRY("socket, netlink", SYS_socket, AF_NETLINK, SOCK_RAW, 0);
    TRY("socket, packet", SYS_socket, AF_PACKET, SOCK_RAW, 0);
    TRY_HARMLESS("socketpair", SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, (int[2]){0});
    TRY("connect", SYS_connect, 3, (char[16]){AF_INET}, 16);
    TRY("bind", SYS_bind, 3, (char[16]){AF_INET}, 16);
    TRY("listen", SYS_listen, 3, 1);
    TRY("accept4", SYS_accept4, 3, 0, 0, 0);
    TRY("sendmsg", SYS_sendmsg, 3, (char[56]){0}, 0);
    TRY("recvmsg", SYS_recvmsg, 3, (char[56]){0}, 0);
    TRY("setsockopt", SYS_setsockopt, 3, SOL_SOCKET, SO_SNDBUF, (int[1]){1}, 4);
}

static void try_processes(pid_t parent) {
    static const char *const none[] = {NULL};
    TRY_HARMLESS("fork", SYS_clone, SIGCHLD);
    TRY("clone, with this memory", SYS_clone, CLONE_VM | CLONE_FILES | SIGCHLD);
    TRY("clone, a new user", SYS_clone, CLONE_NEWUSER | SIGCHLD);
    TRY("clone, of the parent", SYS_clone, CLONE_PARENT | SIGCHLD);
    const uint64_t copying[8] = {0, 0, 0, 0, SIGCHLD};
    TRY("clone3", SYS_clone3, copying, sizeof copying);
    TRY("fork, by its old name", OLD_FORK);
    TRY("execve", SYS_execve, "/bin/true", none, none);
    TRY("execveat", SYS_execveat, AT_FDCWD, "/bin/true", none, none, 0);
    TRY("unshare", SYS_unshare, CLONE_NEWUSER);
    TRY("setns", SYS_setns, 0, 0);
    TRY("ptrace of the parent", SYS_ptrace, 16 /* PTRACE_ATTACH */, parent, 0, 0);
    TRY("ptrace of itself", SYS_ptrace, 0 /* PTRACE_TRACEME */, 0, 0, 0);
    TRY("process_vm_readv", SYS_process_vm_readv, parent, none, 0, none, 0, 0);
    TRY("process_vm_writev", SYS_process_vm_writev, parent, none, 0, none, 0, 0);
    TRY_HARMLESS("kill, of the parent", SYS_kill, parent, 0);
    TRY("kill, of all", SYS_kill, -1, 0);
    TRY_HARMLESS("tkill, of the parent", SYS_tkill, parent, 0);
    TRY_HARMLESS("tgkill, of the parent", SYS_tgkill, parent, parent, 0);
    TRY("rt_sigqueueinfo", SYS_rt_sigqueueinfo, parent, 0, (char[128]){0});
    TRY_HARMLESS("pidfd_open", SYS_pidfd_open, parent, 0);
    TRY("pidfd_send_signal", SYS_pidfd_send_signal, 3, 0, 0, 0);
    TRY("pidfd_getfd", SYS_pidfd_getfd, 3, 0, 0);
    TRY("prlimit of the parent", SYS_prlimit64, parent, RLIMIT_CPU, 0, 0);
    TRY_HARMLESS("getpriority", SYS_getpriority, PRIO_PROCESS, parent);
    TRY("setpriority", SYS_setpriority, PRIO_PROCESS, parent, 19);
    TRY("sched_setscheduler", SYS_sched_setscheduler, parent, SCHED_FIFO, (int[1]){1});
    TRY("sched_setaffinity", SYS_sched_setaffinity, parent, 8, (uint64_t[1]){1});
    TRY_HARMLESS("setpgid", SYS_setpgid, 0, 0);
    TRY("setsid", SYS_setsid);
    TRY("kcmp", SYS_kcmp, parent, parent, 0, 0, 0);
}

static void try_memory(void) {
    const long anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    static char page[8192];
    TRY_HARMLESS("mmap, to write and run", SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, anonymous, -1, 0);
    TRY_HARMLESS("mmap, to run", SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, anonymous, -1, 0);
    TRY("mmap of the ring, to run", SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, 4, 0);
    TRY("mprotect, to run", SYS_mprotect, ((uintptr_t)page + 4095) & ~4095UL, 4096, PROT_READ | PROT_EXEC);
    TRY("pkey_mprotect, to run", SYS_pkey_mprotect, ((uintptr_t)page + 4095) & ~4095UL, 4096, PROT_READ | PROT_EXEC,
        -1);
    TRY("mmap of more than may be", SYS_mmap, 0, 8L << 30, PROT_READ | PROT_WRITE, anonymous, -1, 0);
    TRY("mlock", SYS_mlock, page, 4096);
    TRY("shmget", SYS_shmget, 0, 4096, 01000 | 0600);
    TRY("msgget", SYS_msgget, 0, 01000 | 0600);
    TRY("semget", SYS_semget, 0, 1, 01000 | 0600);
    TRY("mq_open", SYS_mq_open, "flick", O_RDONLY, 0, 0);
}

static void try_rights(void) {
    TRY("prctl, to outlive flick", SYS_prctl, PR_SET_PDEATHSIG, 0);
    TRY_HARMLESS("prctl, of anything else", SYS_prctl, PR_GET_DUMPABLE);
    TRY("seccomp", SYS_seccomp, 1, 0, (char[16]){0});
    const struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
    TRY("setrlimit", SYS_setrlimit, RLIMIT_NOFILE, &more);
    TRY("prlimit, for itself", SYS_prlimit64, 0, RLIMIT_AS, &more, 0);
    TRY("setuid", SYS_setuid, 0);
    TRY("setgid", SYS_setgid, 0);
    TRY("setresuid", SYS_setresuid, 0, 0, 0);
    TRY("setgroups", SYS_setgroups, 0, 0);
    TRY("capset", SYS_capset, (char[8]){0}, (char[24]){0});
    TRY("personality", SYS_personality, 0x0040000 /* ADDR_NO_RANDOMIZE */);
    TRY("bpf", SYS_bpf, 0, (char[128]){0}, 128);
    TRY("perf_event_open", SYS_perf_event_open, (char[128]){0}, 0, -1, -1, 0);
    TRY("keyctl", SYS_keyctl, 0, -3, 1);
    TRY("add_key", SYS_add_key, "user", "x", "x", 1, -3);
    TRY("request_key", SYS_request_key, "user", "x", 0, -3);
    TRY("init_module", SYS_init_module, 0, 0, "");
    TRY("kexec_load", SYS_kexec_load, 0, 0, 0, 0);
    TRY("syslog", SYS_syslog, 3, (char[64]){0}, 64);
    TRY("sethostname", SYS_sethostname, "x", 1);
    TRY("settimeofday", SYS_settimeofday, 0, (int[2]){0});
    TRY("swapon", SYS_swapon, "/tmp/flick-hostile", 0);
    TRY("acct", SYS_acct, "/tmp/flick-hostile");
    TRY_HARMLESS("uname", SYS_uname, (char[400]){0});
    TRY("no such call", 5000, 0);
}

static struct report *new_report(void) {
    struct report *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? NULL : shared;
}

static int wait_for(pid_t pid) {
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

int hostile_try(int (*confine)(void), struct hostile_attempt *attempts, int room, int *parts, int *status) {
    report = new_report();
    if (!report) return -1;
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid < 0) return -1;
    if (pid == 0) {
        signal(SIGCHLD, SIG_IGN);
        is_confined = confine != NULL;
        if (confine) report->parts = confine();
        try_files();
        try_descriptors();
        try_network();
        try_memory();
        try_rights();
        try_processes(parent);
        _exit(0);
    }
    *status = wait_for(pid);
    *parts = report->parts;
    int count = report->count < room ? report->count : room;
    memcpy(attempts, report->attempts, (size_t)count * sizeof *attempts);
    munmap(report, sizeof *report);
    return *status == 0 ? count : -1;
}

int hostile_try_other_machine(int (*confine)(void)) {
    pid_t pid = fork();
    if (pid == 0) {
        confine();
#ifdef __x86_64__
        // getpid, as a program of 32 bits asks for it.
        long result = 20;
        __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
#endif
        _exit(0);
    }
    return wait_for(pid);
}

static void *add_one(void *number) {
    *(int *)number += 1;
    return NULL;
}

int hostile_work(int (*confine)(void)) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 10;
    confine();
    int number = 0;
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, add_one, &number) != 0) return 1;
        if (pthread_join(thread, NULL) != 0) return 2;
    }
    if (number != 3) return 3;
    for (size_t size = 64; size <= 256 << 20; size *= 4) {
        char *memory = malloc(size);
        if (!memory) return 4;
        memory[size - 1] = 1;
        memory = realloc(memory, size * 2);
        if (!memory) return 5;
        free(memory);
    }
    struct timespec moment = {.tv_nsec = 1000};
    if (clock_gettime(CLOCK_MONOTONIC, &moment) != 0 ||
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL) != 0) return 6;
    char byte = 'x';
    if (send(pair[0], &byte, 1, MSG_NOSIGNAL) != 1) return 7;
    struct pollfd readable = {.fd = pair[1], .events = POLLIN};
    if (poll(&readable, 1, 1000) != 1 || read(pair[1], &byte, 1) != 1) return 8;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 1) return 9;
    prctl(PR_SET_NAME, "worker");
    return 0;
}

static pthread_t remembered;

int hostile_remember_thread(void) {
    remembered = pthread_self();
    return 0;
}

int hostile_look_up_remembered_thread(void) {
    // The clock's number contains the thread's id, and a thread cannot read clocks of other processes.
    clockid_t clock;
    int error = pthread_getcpuclockid(remembered, &clock);
    if (error) return error;
    struct timespec time;
    return clock_gettime(clock, &time) == 0 ? 0 : errno;
}
