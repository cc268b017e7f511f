// What a decoder may still do once it is about to read a clip. On systems other than Linux: nothing but limits.
#define _GNU_SOURCE
#include "CSandbox.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

/// Virtual memory. Libraries and the ring take half a gigabyte of it before there is a clip. An 8K clip fits.
static const rlim_t MOST_MEMORY = (rlim_t)3 << 30;
/// poll(2) refuses to wait for more descriptors than the limit. The decoder waits for one, and opens none.
static const rlim_t MOST_FILES = 1;

static int set_limit(int resource, rlim_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -1;
    // A lower limit of the user's stays.
    if (limit.rlim_max > value) limit.rlim_max = value;
    if (limit.rlim_cur > value) limit.rlim_cur = value;
    return setrlimit(resource, &limit);
}

static int confine_limits(void) {
    int failed = 0;
    failed |= set_limit(RLIMIT_AS, MOST_MEMORY);
    failed |= set_limit(RLIMIT_NOFILE, MOST_FILES);
    // A dump would hold the clip, and could be large.
    failed |= set_limit(RLIMIT_CORE, 0);
    failed |= set_limit(RLIMIT_FSIZE, 0);
    failed |= set_limit(RLIMIT_MEMLOCK, 0);
    return failed ? 0 : FLICK_CONFINED_LIMITS;
}

#ifdef __linux__

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: Paths (Landlock; see landlock(7))

/// What the kernel is to refuse. Defined here, as the headers of older systems know only a part of it.
struct refused {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

static int confine_paths(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1U /* LANDLOCK_CREATE_RULESET_VERSION */);
    if (version < 1) return 0;
    // How many ways to use files each version knows: 13 at first, then renaming, truncating and ioctl.
    int ways = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    struct refused refused = {.files = (1ULL << ways) - 1};
    size_t size = sizeof refused.files;
    if (version >= 4) {
        refused.network = 3;  // TCP: to be reached, and to connect.
        size += sizeof refused.network;
    }
    if (version >= 6) {
        refused.scopes = 3;  // Sockets with abstract names, and signals, of others.
        size += sizeof refused.scopes;
    }
    long rules = syscall(SYS_landlock_create_ruleset, &refused, size, 0);
    if (rules < 0) return 0;
    // No exception is added: nothing is allowed.
    long result = syscall(SYS_landlock_restrict_self, rules, 0);
    close((int)rules);
    return result == 0 ? FLICK_CONFINED_PATHS : 0;
}

// MARK: System calls (seccomp; see seccomp(2))

#if defined __x86_64__
#define FLICK_ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define FLICK_ARCH AUDIT_ARCH_AARCH64
#elif defined __riscv && __riscv_xlen == 64
#define FLICK_ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef FLICK_ARCH

/// When a call is allowed.
enum condition {
    ALWAYS,
    /// The argument has none of the bits.
    WITHOUT,
    /// The argument has all of the bits.
    WITH,
    /// The argument is the value.
    EQUAL,
};

struct rule {
    int call;
    enum condition condition;
    int argument;
    uint32_t value;
};

enum { MOST_STEPS = 256 };

struct program {
    struct sock_filter steps[MOST_STEPS];
    unsigned short count;
};

static void add(struct program *program, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false) {
    program->steps[program->count++] = (struct sock_filter)BPF_JUMP(code, value, if_true, if_false);
}

static void load(struct program *program, size_t offset) {
    add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void give(struct program *program, uint32_t result) { add(program, BPF_RET | BPF_K, result, 0, 0); }

/// The lower half of an argument: the values compared here are never
/// longer. (All machines that Swift is made for are little-endian.)
static size_t place(int argument) { return offsetof(struct seccomp_data, args) + (size_t)argument * sizeof(uint64_t); }

static void allow(struct program *program, const struct rule *rule) {
    switch (rule->condition) {
    case ALWAYS:
        add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->call, 0, 1);
        give(program, SECCOMP_RET_ALLOW);
        return;
    case WITHOUT:
        add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->call, 0, 4);
        load(program, place(rule->argument));
        add(program, BPF_JMP | BPF_JSET | BPF_K, rule->value, 1, 0);
        break;
    case WITH:
        add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->call, 0, 5);
        load(program, place(rule->argument));
        add(program, BPF_ALU | BPF_AND | BPF_K, rule->value, 0, 0);
        add(program, BPF_JMP | BPF_JEQ | BPF_K, rule->value, 0, 1);
        break;
    case EQUAL:
        add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->call, 0, 4);
        load(program, place(rule->argument));
        add(program, BPF_JMP | BPF_JEQ | BPF_K, rule->value, 0, 1);
        break;
    }
    give(program, SECCOMP_RET_ALLOW);
    give(program, SECCOMP_RET_ERRNO | EPERM);
}

static void refuse(struct program *program, int call, int error) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
    give(program, SECCOMP_RET_ERRNO | (uint32_t)error);
}

static int confine_calls(void) {
    const uint32_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
    // The most frequent ones first: older kernels go through the list each time.
    const struct rule rules[] = {
        {SYS_futex, ALWAYS, 0, 0},
        {SYS_read, ALWAYS, 0, 0},
        {SYS_sendto, ALWAYS, 0, 0},
#ifdef SYS_poll
        {SYS_poll, ALWAYS, 0, 0},
#endif
        {SYS_ppoll, ALWAYS, 0, 0},
        {SYS_madvise, ALWAYS, 0, 0},
        {SYS_mmap, WITHOUT, 2, PROT_EXEC},
        {SYS_mprotect, WITHOUT, 2, PROT_EXEC},
        {SYS_munmap, ALWAYS, 0, 0},
        {SYS_mremap, ALWAYS, 0, 0},
        {SYS_brk, ALWAYS, 0, 0},
        {SYS_clock_gettime, ALWAYS, 0, 0},
        {SYS_clock_getres, ALWAYS, 0, 0},
        {SYS_gettimeofday, ALWAYS, 0, 0},
#ifdef SYS_time
        {SYS_time, ALWAYS, 0, 0},
#endif
        {SYS_nanosleep, ALWAYS, 0, 0},
        {SYS_clock_nanosleep, ALWAYS, 0, 0},
        {SYS_restart_syscall, ALWAYS, 0, 0},
        {SYS_sched_yield, ALWAYS, 0, 0},
        // How many threads are worth while.
        {SYS_sched_getaffinity, ALWAYS, 0, 0},
        {SYS_getcpu, ALWAYS, 0, 0},
        {SYS_sysinfo, ALWAYS, 0, 0},
        {SYS_getrandom, ALWAYS, 0, 0},
        {SYS_getpid, ALWAYS, 0, 0},
        {SYS_gettid, ALWAYS, 0, 0},
        // Threads begin and end. clone3, whose arguments cannot be
        // inspected, is reported as missing: then the C library uses this.
        {SYS_clone, WITH, 0, thread},
        {SYS_set_robust_list, ALWAYS, 0, 0},
#ifdef SYS_rseq
        {SYS_rseq, ALWAYS, 0, 0},
#endif
        {SYS_rt_sigprocmask, ALWAYS, 0, 0},
        {SYS_rt_sigaction, ALWAYS, 0, 0},
        {SYS_rt_sigreturn, ALWAYS, 0, 0},
        {SYS_prctl, EQUAL, 0, PR_SET_NAME},
        {SYS_exit, ALWAYS, 0, 0},
        {SYS_exit_group, ALWAYS, 0, 0},
        // abort()
        {SYS_tgkill, EQUAL, 0, (uint32_t)getpid()},
        // It may close its descriptors.
        {SYS_close, ALWAYS, 0, 0},
        {SYS_shutdown, ALWAYS, 0, 0},
    };
    struct program program = {.count = 0};
    load(&program, offsetof(struct seccomp_data, arch));
    add(&program, BPF_JMP | BPF_JEQ | BPF_K, FLICK_ARCH, 1, 0);
    give(&program, SECCOMP_RET_KILL_PROCESS);
    load(&program, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    // The calls of programs with pointers of 32 bits have numbers of their own.
    add(&program, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    give(&program, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) allow(&program, &rules[i]);
    // Libraries look for files that need not exist (/sys, /proc, /etc), and continue without them.
    refuse(&program, SYS_openat, EACCES);
#ifdef SYS_open
    refuse(&program, SYS_open, EACCES);
#endif
#ifdef SYS_clone3
    refuse(&program, SYS_clone3, ENOSYS);
#endif
    give(&program, SECCOMP_RET_ERRNO | EPERM);
    const struct sock_fprog whole = {.len = program.count, .filter = program.steps};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole) == 0 ? FLICK_CONFINED_CALLS : 0;
}

#else

static int confine_calls(void) { return 0; }

#endif

int flick_confine(void) {
    int parts = 0;
    // Both of the following need it, and no program gives this process more rights from now on.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) parts |= confine_paths();
    parts |= confine_limits();
    return parts | confine_calls();
}

#else

int flick_confine(void) { return confine_limits(); }

#endif
