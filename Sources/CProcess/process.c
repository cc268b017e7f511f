// The calls that differ between systems.
#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int flick_shared_memory(size_t bytes) {
#ifdef __linux__
    int fd = memfd_create("flick-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -errno;
#else
    char name[64];
    snprintf(name, sizeof name, "/flick-%d-%08x", (int)getpid(), (unsigned)arc4random());
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0) return -errno;
    shm_unlink(name);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
    if (ftruncate(fd, (off_t)bytes) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
#ifdef __linux__
    // Without the seals a decoder could shrink the ring and kill flick with SIGBUS.
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        int error = errno;
        close(fd);
        return -error;
    }
#endif
    return fd;
}

int flick_socket_pair(int pair[2], int bytes) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return -errno;
    for (int i = 0; i < 2; i++) {
        fcntl(pair[i], F_SETFD, FD_CLOEXEC);
        setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
#ifdef SO_NOSIGPIPE
        int on = 1;
        setsockopt(pair[i], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    }
    return 0;
}
