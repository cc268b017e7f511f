#ifndef FLICK_CKEYRING_H
#define FLICK_CKEYRING_H

#include <stddef.h>

/// Copies the payload of the "user" key `name` in the user's keyring (keyrings(7)) to `payload`. Returns its length,
/// which may be more than `capacity`; 0 if no key has that name; or -errno, -ENOSYS where the system has no keyrings.
int flick_keyring_read(const char *name, void *payload, size_t capacity);

/// Puts a "user" key into the user's keyring, in the place of one of that name. Returns 0, or -errno.
int flick_keyring_write(const char *name, const void *payload, size_t length);

#endif
