#ifndef FLICK_CPROCESS_H
#define FLICK_CPROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The descriptors that a decoder finds at its start (see Sources/Wire/Channel.swift). The nursery finds its own socket
/// at the first number.
enum { FLICK_CHANNEL_FD = 3, FLICK_RING_FD = 4, FLICK_NURSERY_FD = 3 };

/// An anonymous shared memory object of `bytes`, which cannot be resized afterwards if the system can guarantee
/// that. Pages cost nothing until they are touched. Returns the descriptor (close-on-exec), or -errno.
int flick_shared_memory(size_t bytes);

/// A connected pair of close-on-exec stream sockets with send buffers of at least `bytes` where allowed. Returns 0, or
/// -errno.
int flick_socket_pair(int pair[2], int bytes);

/// In flick: requests a decoder with this channel and ring, which stay open
/// here, from the nursery behind `socket`. Never blocks. Returns 0, or -errno.
int flick_nursery_ask(int socket, int channel, int ring);

/// In flick: the nursery's answer, for which it waits up to `milliseconds`: the decoder's
/// process id, or the -errno of creating it. Returns 0 once there is an answer, else
/// -errno; -ETIMEDOUT if there is no answer yet, -EPIPE if the nursery has gone.
int flick_nursery_answer(int socket, int milliseconds, int32_t *answer);

/// Drops the rights that decoding does not need, and returns which ones were dropped (`flick_confine`).
typedef int (*flick_confine_process)(void);
/// Works as a decoder until flick has closed the channel. `confinement` is what `flick_confine_process` returned.
typedef void (*flick_decode)(int confinement, void *context);

/// The exit status of a decoder for which the system had no thread.
enum { FLICK_EXIT_NO_THREAD = 3 };

/// In the nursery, while it has one thread: makes a process of each request. There descriptors 3 and 4 are the channel
/// and the ring; `confine` is called first, then `decode` on a new thread, with `context`; the process ends when that
/// returns. The nursery itself does not return: it ends with flick. Every decoder is a child of flick, not of the
/// nursery, so flick can wait for it, and nothing happens to it when the nursery ends. Where the system cannot do that
/// (macOS), the process serves one request and becomes that decoder. Returns -1 if there is no socket at descriptor 3,
/// as flick has not started this process.
int flick_nursery_serve(flick_confine_process confine, flick_decode decode, void *context);

#endif
