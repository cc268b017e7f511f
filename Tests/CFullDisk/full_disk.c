// A disk that can be full, for programs that preload this library (ld.so(8), LD_PRELOAD), without mounting anything.
//
// While the file $FLICK_FULL_DISK.full exists, no file below the folder $FLICK_FULL_DISK can grow. Writes beyond its
// end fail with ENOSPC, and writes that begin before it are cut there, as on a real file system (write(2)). Existing
// bytes can be overwritten, and files can be made and removed. Only calls that reach the C library from outside are
// seen, so not those of stdio.
#if defined(__linux__)
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

// NULL without a folder, and in decoders, whose sandbox forbids the calls below.
static const char *folder;
static char marker[PATH_MAX];

__attribute__((constructor)) static void find_folder(void) {
    if (strcmp(program_invocation_short_name, "flick-decoder") == 0) return;
    folder = getenv("FLICK_FULL_DISK");
    if (folder) snprintf(marker, sizeof marker, "%s.full", folder);
}

// How many of `count` bytes at `offset` a full disk accepts. An offset of -1 is the file's position, or its end if it
// appends.
static size_t room(int file, size_t count, off_t offset) {
    struct stat facts;
    char link[64], path[PATH_MAX];
    if (!folder || access(marker, F_OK) != 0 || fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return count;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return count;
    path[length] = 0;
    size_t prefix = strlen(folder);
    if (strncmp(path, folder, prefix) != 0 || path[prefix] != '/') return count;
    if (offset < 0) offset = fcntl(file, F_GETFL) & O_APPEND ? facts.st_size : lseek(file, 0, SEEK_CUR);
    if (offset >= facts.st_size) return 0;
    size_t left = (size_t)(facts.st_size - offset);
    return left < count ? left : count;
}

static ssize_t full(void) {
    errno = ENOSPC;
    return -1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t count) {
    size_t fits = room(file, count, -1);
    return fits == 0 && count > 0 ? full() : NEXT(write)(file, bytes, fits);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    size_t fits = room(file, count, offset);
    return fits == 0 && count > 0 ? full() : NEXT(pwrite)(file, bytes, fits, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return pwrite(file, bytes, count, offset);
}

// Whole or not at all, which write(2) allows too.
static size_t total(const struct iovec *pieces, int count) {
    size_t sum = 0;
    for (int piece = 0; piece < count; piece++) sum += pieces[piece].iov_len;
    return sum;
}

ssize_t writev(int file, const struct iovec *pieces, int count) {
    size_t bytes = total(pieces, count);
    return room(file, bytes, -1) < bytes ? full() : NEXT(writev)(file, pieces, count);
}

ssize_t pwritev(int file, const struct iovec *pieces, int count, off_t offset) {
    size_t bytes = total(pieces, count);
    return room(file, bytes, offset) < bytes ? full() : NEXT(pwritev)(file, pieces, count, offset);
}

ssize_t pwritev64(int file, const struct iovec *pieces, int count, off64_t offset) {
    return pwritev(file, pieces, count, offset);
}

int posix_fallocate(int file, off_t offset, off_t count) {
    return room(file, (size_t)count, offset) < (size_t)count ? ENOSPC : NEXT(posix_fallocate)(file, offset, count);
}

int posix_fallocate64(int file, off64_t offset, off64_t count) { return posix_fallocate(file, offset, count); }

int fallocate(int file, int mode, off_t offset, off_t count) {
    return room(file, (size_t)count, offset) < (size_t)count ? (int)full()
                                                             : NEXT(fallocate)(file, mode, offset, count);
}

int fallocate64(int file, int mode, off64_t offset, off64_t count) { return fallocate(file, mode, offset, count); }
#endif
