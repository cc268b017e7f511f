#ifndef FLICK_CTESTTERMINAL_H
#define FLICK_CTESTTERMINAL_H

#include <stddef.h>

/// Opens a pseudo-terminal and returns its master side (close-on-exec), with the path of the other side in `name`; or
/// -errno.
int flick_open_terminal(char *name, size_t size);

/// From now on files are opened and made with the rights of `user`: on Linux by this thread only. Returns whose they
/// were before.
int flick_set_file_user(unsigned user);

#endif
