#ifndef FLICK_CPLATFORM_H
#define FLICK_CPLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A descriptor of a program that is started.
typedef struct {
    /// Its number there.
    int number;
    /// The descriptor of this process that it is a copy of; -1: the file `path` is opened with `flags`.
    int source;
    const char *path;
    int flags;
} flick_stream;

/// The process group of a program that is started: that of this process, a new one, or a new one in a new session.
enum { FLICK_GROUP_SAME = 0, FLICK_GROUP_OWN = 1, FLICK_GROUP_SESSION = 2 };

/// Starts a program with `arguments` and `environment` (NULL-terminated; no `environment` is this process's). It is the
/// file `path`, or without one the first argument, found in PATH. It has the given `streams` and nothing else of this
/// process: standard streams that are not given are /dev/null, all other descriptors are closed, and signals are at
/// their defaults. Returns 0 and the process in `pid`, or an errno.
int flick_spawn(
    const char *path, char *const arguments[], char *const environment[], const flick_stream streams[], size_t count,
    int group, pid_t *pid);

/// Gives the room of a part of a file back to the disk if the system can; it then reads as zeros. Returns 0, or an
/// errno.
int flick_punch_hole(int file, int64_t offset, int64_t count);

/// Copies up to `count` bytes to the same offset of another file without reading them, by sharing them (reflink) where
/// the file system can. Returns how many were copied, or -1 with errno.
int64_t flick_copy_range(int from, int to, int64_t offset, int64_t count);

/// Gives a file another name, and folder, unless a file has that name already: EEXIST. Folders are open descriptors.
/// Returns 0, or an errno. File systems that cannot do both at once may replace what gets the name in between.
int flick_rename_to_free(int from, const char *old, int to, const char *name);

/// Advises the system to read ahead from `offset` on.
void flick_read_ahead(int file, int64_t offset, int64_t count);

/// Lets a process group run after others that want the processor.
void flick_lower_priority(pid_t group);

#endif
