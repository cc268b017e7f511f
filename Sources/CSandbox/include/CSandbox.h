#ifndef FLICK_CSANDBOX_H
#define FLICK_CSANDBOX_H

/// The parts of the sandbox. The numbers are those of `Confinement` in Sources/Wire.
enum {
    /// Memory, open files, core dumps.
    FLICK_CONFINED_LIMITS = 1,
    /// Only the system calls that decoding needs.
    FLICK_CONFINED_CALLS = 2,
    /// No file, no network and no other process, whatever the calls are.
    FLICK_CONFINED_PATHS = 4,
};

/// Permanently drops all rights that this process and its threads do not need for decoding
/// (docs/decisions/sandbox.md). To be called while there is one thread, after all libraries are loaded and
/// before anything of a clip is read. Returns which parts are in force: the system may not have all of them.
int flick_confine(void);

#endif
