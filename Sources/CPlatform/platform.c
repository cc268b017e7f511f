// The calls that differ between systems, or that Swift cannot make.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/// The most streams of a program.
enum { MOST_STREAMS = 8 };

static int add_stream(posix_spawn_file_actions_t *actions, const flick_stream *stream, int source) {
    if (stream->source >= 0) return posix_spawn_file_actions_adddup2(actions, source, stream->number);
    return posix_spawn_file_actions_addopen(actions, stream->number, stream->path, stream->flags, 0600);
}

static int add_streams(
    posix_spawn_file_actions_t *actions, const flick_stream streams[], size_t count, const int sources[], int highest) {
    bool is_given[3] = {false, false, false};
    for (size_t i = 0; i < count; i++) {
        if (streams[i].number < 3) is_given[streams[i].number] = true;
        int error = add_stream(actions, &streams[i], sources[i]);
        if (error) return error;
    }
    for (int number = 0; number < 3; number++) {
        int error = is_given[number] ? 0 : posix_spawn_file_actions_addopen(actions, number, "/dev/null", O_RDWR, 0);
        if (error) return error;
    }
#ifdef __linux__
    return posix_spawn_file_actions_addclosefrom_np(actions, highest + 1);
#else
    (void)highest;
    return 0;
#endif
}

static int set_attributes(posix_spawnattr_t *attributes, int group) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (group == FLICK_GROUP_OWN) flags |= POSIX_SPAWN_SETPGROUP;
    if (group == FLICK_GROUP_SESSION) flags |= POSIX_SPAWN_SETSID;
#ifdef __APPLE__
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
    return error ? error : posix_spawnattr_setflags(attributes, (short)flags);
}

int flick_spawn(
    const char *path, char *const arguments[], char *const environment[], const flick_stream streams[], size_t count,
    int group, pid_t *pid) {
    if (count > MOST_STREAMS) return EINVAL;
    int highest = 2;
    for (size_t i = 0; i < count; i++) {
        if (streams[i].number > highest) highest = streams[i].number;
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    // Copies above all numbers of the program: no stream then replaces the source of another, and none keeps its
    // number, with which it would stay close-on-exec.
    int sources[MOST_STREAMS];
    for (size_t i = 0; i < count; i++) {
        sources[i] = streams[i].source < 0 ? -1 : fcntl(streams[i].source, F_DUPFD_CLOEXEC, highest + 1);
        if (streams[i].source >= 0 && sources[i] < 0 && !error) error = errno;
    }
    if (!error) error = add_streams(&actions, streams, count, sources, highest);
    if (!error) error = set_attributes(&attributes, group);
    char *const *variables = environment ? environment : environ;
    if (!error) {
        error = path ? posix_spawn(pid, path, &actions, &attributes, arguments, variables)
                     : posix_spawnp(pid, arguments[0], &actions, &attributes, arguments, variables);
    }
    for (size_t i = 0; i < count; i++) {
        if (sources[i] >= 0) close(sources[i]);
    }
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

int flick_punch_hole(int file, int64_t offset, int64_t count) {
#ifdef __linux__
    return fallocate(file, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, offset, count) == 0 ? 0 : errno;
#else
    (void)file, (void)offset, (void)count;
    return ENOTSUP;
#endif
}

int64_t flick_copy_range(int from, int to, int64_t offset, int64_t count) {
#ifdef __linux__
    off64_t source = offset, target = offset;
    return copy_file_range(from, &source, to, &target, (size_t)count, 0);
#else
    (void)from, (void)to, (void)offset, (void)count;
    errno = ENOTSUP;
    return -1;
#endif
}

int flick_rename_to_free(int from, const char *old, int to, const char *name) {
#ifdef __linux__
    if (renameat2(from, old, to, name, RENAME_NOREPLACE) == 0) return 0;
    // A file system that does not know the flag says EINVAL, an old kernel ENOSYS.
    if (errno != EINVAL && errno != ENOSYS) return errno;
#else
    if (renameatx_np(from, old, to, name, RENAME_EXCL) == 0) return 0;
    if (errno != ENOTSUP) return errno;
#endif
    struct stat facts;
    if (fstatat(to, name, &facts, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
    return renameat(from, old, to, name) == 0 ? 0 : errno;
}

void flick_read_ahead(int file, int64_t offset, int64_t count) {
#ifdef __linux__
    posix_fadvise(file, offset, count, POSIX_FADV_WILLNEED);
#else
    (void)file, (void)offset, (void)count;
#endif
}

void flick_lower_priority(pid_t group) { setpriority(PRIO_PGRP, (id_t)group, 5); }
