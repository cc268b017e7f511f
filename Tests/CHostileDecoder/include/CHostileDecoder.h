#ifndef FLICK_CHOSTILEDECODER_H
#define FLICK_CHOSTILEDECODER_H

/// What a decoder that has been taken over tries.
struct hostile_attempt {
    const char *name;
    /// It harms nothing and works in any process: a run without a sandbox shows that the attempt is a real one.
    int is_harmless;
    /// 0: it worked; else errno.
    int error;
};

/// In a copy of this process: calls `confine` (if it is not NULL), then makes all attempts, or without `confine` only
/// the harmless ones. Writes the results to `attempts`, which has room for `room`. Returns their number, or -1 if the
/// copy has ended before the last one; its waitpid status is in `status`, and the result of `confine` in `parts`.
int hostile_try(int (*confine)(void), struct hostile_attempt *attempts, int room, int *parts, int *status);

/// In a copy of this process: calls `confine`, then makes a call of 32-bit programs. Returns waitpid's status.
int hostile_try_other_machine(int (*confine)(void));

/// In this process: calls `confine`, then does what decoders do: threads, memory, clocks, waiting. Returns 0 if all of
/// that works, else the number of the step that failed.
int hostile_work(int (*confine)(void));

/// Remembers the calling thread, and returns 0. In the place of `flick_confine`: in a decoder, on the thread that was
/// copied.
int hostile_remember_thread(void);

/// Looks the remembered thread up by the id that the C library has for it. Returns 0 if that is a thread of this
/// process, else errno.
int hostile_look_up_remembered_thread(void);

#endif
