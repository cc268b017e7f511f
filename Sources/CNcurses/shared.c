// Objects in shared memory that a terminal reads pictures from.
#define _GNU_SOURCE
#include "shim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void *flick_shared_make(const char *name, size_t bytes) {
    int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (fd < 0) return NULL;
    int failure = ftruncate(fd, (off_t)bytes);
#ifdef __linux__
    // Without this a file system that is full would end the process at the first write (SIGBUS).
    if (!failure) failure = posix_fallocate(fd, 0, (off_t)bytes);
#endif
    void *memory = failure ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory != MAP_FAILED) return memory;
    shm_unlink(name);
    return NULL;
}

void flick_shared_leave(void *memory, size_t bytes) { munmap(memory, bytes); }

int flick_shared_exists(const char *name) {
    int fd = shm_open(name, O_RDONLY, 0);
    if (fd < 0) return 0;
    close(fd);
    return 1;
}

void flick_shared_remove(const char *name) { shm_unlink(name); }

void flick_shared_remove_old(const char *prefix, int seconds) {
#ifdef __linux__
    // Where glibc and musl have them (shm_overview(7)). Other systems list them nowhere.
    DIR *folder = opendir("/dev/shm");
    if (!folder) return;
    time_t now = time(NULL);
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct stat object;
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
        if (fstatat(dirfd(folder), entry->d_name, &object, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISREG(object.st_mode) || object.st_uid != geteuid()) continue;
        if (now - object.st_mtime >= seconds) unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
#else
    (void)prefix;
    (void)seconds;
#endif
}
