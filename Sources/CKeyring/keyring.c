// The kernel's keyrings. They are reached by system calls: the library for them (libkeyutils) would be one more to
// install.
#define _GNU_SOURCE
#include "CKeyring.h"

#include <errno.h>

#ifdef __linux__

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Makes the user's keyring this process's own: only who possesses a key may read it, and not every login has linked the
// one to the other.
static int possess(void) {
    long linked = syscall(SYS_keyctl, KEYCTL_LINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_PROCESS_KEYRING);
    return linked < 0 ? -errno : 0;
}

int flick_keyring_read(const char *name, void *payload, size_t capacity) {
    int error = possess();
    if (error) return error;
    long key = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", name, 0);
    // A key that has expired or was revoked is as good as none.
    if (key < 0) return errno == ENOKEY || errno == EKEYEXPIRED || errno == EKEYREVOKED ? 0 : -errno;
    long length = syscall(SYS_keyctl, KEYCTL_READ, key, payload, capacity);
    return length < 0 ? -errno : (int)length;
}

int flick_keyring_write(const char *name, const void *payload, size_t length) {
    int error = possess();
    if (error) return error;
    return syscall(SYS_add_key, "user", name, payload, length, KEY_SPEC_USER_KEYRING) < 0 ? -errno : 0;
}

#else

int flick_keyring_read(const char *name, void *payload, size_t capacity) {
    (void)name, (void)payload, (void)capacity;
    return -ENOSYS;
}

int flick_keyring_write(const char *name, const void *payload, size_t length) {
    (void)name, (void)payload, (void)length;
    return -ENOSYS;
}

#endif
