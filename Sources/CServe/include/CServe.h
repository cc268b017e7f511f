#ifndef FLICK_SERVE_H
#define FLICK_SERVE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Opens a regular file below `root` to read it, without ever leaving `root`: not by "..", not by a link. A
/// link that stays below is followed where the kernel can verify that (Linux from 5.6 on); elsewhere no link
/// is. Returns the descriptor, or -1 with errno. Never blocks on a FIFO.
int flick_open_beneath(int root, const char *path);

/// Whether reading `count` bytes at `offset` would not wait for the disk: 1 yes, 0 no, or not known.
int flick_is_resident(int file, int64_t offset, size_t count);

/// Sets a file's time of access to now, and leaves its time of modification.
void flick_mark_used(int file);

#endif
