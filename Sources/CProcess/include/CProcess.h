#ifndef FLICK_CPROCESS_H
#define FLICK_CPROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The descriptors a decoder process finds at its start (see Sources/Wire/Channel.swift).
enum { FLICK_CHANNEL_FD = 3, FLICK_RING_FD = 4 };

/// An anonymous shared memory object of `bytes`, which nobody can resize afterwards where the system can promise that.
/// Pages cost nothing until they are touched. Returns the descriptor (close-on-exec), or -errno.
int flick_shared_memory(size_t bytes);

/// A connected pair of close-on-exec stream sockets with send buffers of at least `bytes` where allowed. Returns 0, or -errno.
int flick_socket_pair(int pair[2], int bytes);

/// Starts `path` with `arguments` (NULL-terminated; the first is its name), an empty environment but for `environment`, standard input from /dev/null,
/// standard output to /dev/null, standard error to `errors` (or /dev/null if -1), descriptors 3 and 4 set to `channel` and `ring`, and nothing else
/// open. Signals are at their defaults, in a process group of its own (so that ^C in the terminal is not its business). Returns 0 and the process in `pid`, or -errno.
int flick_spawn(const char *path, char *const arguments[], char *const environment[], int errors, int channel, int ring, pid_t *pid);

/// In a decoder: die with the process that started it, where the system can do that. (Elsewhere the closed channel ends it.)
void flick_die_with_parent(void);

#endif
