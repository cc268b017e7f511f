#ifndef FLICK_CTESTTERMINAL_H
#define FLICK_CTESTTERMINAL_H

#include <spawn.h>
#include <stddef.h>

/// Opens a pseudo-terminal and returns its master side (close-on-exec), with the path of the other side in `name`; or
/// -errno.
int flick_open_terminal(char *name, size_t size);

/// The flag of posix_spawnattr_setflags that puts a program into a session of its own.
short flick_spawn_new_session(void);

/// A program that is started with these actions has no descriptor from `first` on. Elsewhere than on Linux it has those
/// without close-on-exec. Returns 0 or an errno.
int flick_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

/// From now on files are opened and made with the rights of `user`: on Linux by this thread only. Returns whose they
/// were before.
int flick_set_file_user(unsigned user);

#endif
