// posix_openpt and its kin hide behind a feature macro that Swift's Glibc module does not set.
#define _GNU_SOURCE
#include "CTestTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int flick_open_terminal(char *name, size_t size) {
#ifdef __linux__
    // At once, as another thread may start a program in between.
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0) return -errno;
#else
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0) return -errno;
    fcntl(master, F_SETFD, FD_CLOEXEC);
#endif
    const char *path = grantpt(master) == 0 && unlockpt(master) == 0 ? ptsname(master) : NULL;
    if (!path || strlen(path) >= size) {
        close(master);
        return -ENOTTY;
    }
    strcpy(name, path);
    return master;
}
