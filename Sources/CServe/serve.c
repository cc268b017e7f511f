#define _GNU_SOURCE
#include "CServe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/openat2.h>
#include <sys/syscall.h>
#endif

// O_NONBLOCK: opening a FIFO or a device must not wait. It means nothing to regular files.
enum { how_to_open = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

/// Name by name, without following any link.
static int open_by_steps(int root, const char *path) {
    int folder = dup(root);
    if (folder < 0) return -1;
    while (1) {
        size_t length = strcspn(path, "/");
        char name[256];
        int opened = -1;
        int is_last = path[length] == 0;
        if (length == 0 || length >= sizeof name || (length == 2 && path[0] == '.' && path[1] == '.')) {
            errno = ENOENT;
        } else {
            memcpy(name, path, length);
            name[length] = 0;
            int flags = is_last ? how_to_open : O_RDONLY | O_CLOEXEC | O_DIRECTORY;
            opened = openat(folder, name, flags | O_NOFOLLOW);
        }
        int code = errno;
        close(folder);
        errno = code;
        if (opened < 0 || is_last) return opened;
        folder = opened;
        path += length + 1;
    }
}

int flick_open_beneath(int root, const char *path) {
#if defined(__linux__) && defined(SYS_openat2)
    struct open_how how = {0};
    how.flags = how_to_open;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    int tries = 0;
    while (1) {
        int file = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
        if (file >= 0) return file;
        // EAGAIN: something was renamed meanwhile, and the kernel does not know whether the path stays below.
        if (errno == EINTR || (errno == EAGAIN && ++tries < 8)) continue;
        // Older kernels, and filters of system calls in containers.
        if (errno == ENOSYS || errno == EPERM) break;
        return -1;
    }
#endif
    return open_by_steps(root, path);
}

int flick_is_resident(int file, int64_t offset, size_t count) {
#if defined(__linux__) && defined(RWF_NOWAIT)
    // The first and the last byte: the kernel reads ahead in between.
    char byte;
    struct iovec one = {&byte, 1};
    if (count == 0) return 1;
    if (preadv2(file, &one, 1, offset, RWF_NOWAIT) != 1) return 0;
    return preadv2(file, &one, 1, offset + (int64_t)count - 1, RWF_NOWAIT) == 1;
#else
    (void)file;
    (void)offset;
    (void)count;
    return 0;
#endif
}

void flick_mark_used(int file) {
    struct timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
    futimens(file, times);
}
