#define _GNU_SOURCE
#include "source.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int open_of_process(pid_t pid, const char *file, int flags, struct failure *failure) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) errno = ESRCH;
    if (fd < 0) failed_errno(failure, "source", "open %s", path);
    return fd;
}

// Counted behind the last ')', because a program's name may hold anything.
static bool read_start_ticks(pid_t pid, unsigned long long *ticks, struct failure *failure) {
    char text[1024];
    int fd = open_of_process(pid, "stat", O_RDONLY, failure);
    if (fd < 0) return false;
    ssize_t length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) return failed(failure, "source-gone", "process %d is gone", pid);
    text[length] = 0;
    char *at = strrchr(text, ')');
    if (at && at[1] && (at[2] == 'Z' || at[2] == 'X')) return failed(failure, "source-gone", "process %d has ended", pid);
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    if (!at) return failed(failure, "source", "/proc/%d/stat: not understood", pid);
    *ticks = strtoull(at, NULL, 10);
    return true;
}

// The descriptor first: it holds on to the process that has the pid now, and its start time is read after that.
int open_source(pid_t pid, unsigned long long start_ticks, struct failure *failure) {
    unsigned long long ticks = 0;
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (pidfd < 0) {
        failed_errno(failure, "source", "pidfd_open %d", pid);
        return -1;
    }
    if (!read_start_ticks(pid, &ticks, failure)) {
        close(pidfd);
        return -1;
    }
    if (ticks == start_ticks) return pidfd;
    failed(failure, "source-gone", "process %d is another one: started at %llu, not %llu", pid, ticks, start_ticks);
    close(pidfd);
    return -1;
}

FILE *open_maps(pid_t pid, struct failure *failure) {
    int fd = open_of_process(pid, "maps", O_RDONLY, failure);
    FILE *maps = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && !maps) {
        failed_errno(failure, "source", "maps");
        close(fd);
    }
    return maps;
}

bool next_mapping(FILE *maps, struct mapping *mapping) {
    char line[4096 + 128];
    while (fgets(line, sizeof line, maps)) {
        *mapping = (struct mapping){0};
        int fields = sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %255[^\n]", &mapping->start, &mapping->end, mapping->permissions, &mapping->offset,
                            &mapping->device_major, &mapping->device_minor, &mapping->inode, mapping->path);
        if (fields >= 7) return true;
    }
    return false;
}

// By the file itself where that is allowed: some file systems show another device number in maps than in stat.
static bool is_of_file(pid_t pid, const struct mapping *mapping, const struct stat *file) {
    char path[96];
    struct stat mapped;
    if (mapping->inode != file->st_ino) return false;
    snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", pid, mapping->start, mapping->end);
    if (!stat(path, &mapped)) return mapped.st_dev == file->st_dev && mapped.st_ino == file->st_ino;
    return makedev(mapping->device_major, mapping->device_minor) == file->st_dev;
}

bool find_guest_memory(pid_t pid, int base, struct guest_memory *memory, struct failure *failure) {
    struct stat file;
    struct mapping mapping;
    int ranges = 0;
    bool from_start = true;
    if (fstat(base, &file)) return failed_errno(failure, "mapping", "base image");
    FILE *maps = open_maps(pid, failure);
    if (!maps) return false;
    *memory = (struct guest_memory){0};
    while (next_mapping(maps, &mapping)) {
        if (strcmp(mapping.permissions, "rw-p") || !is_of_file(pid, &mapping, &file)) continue;
        if (ranges == 1 && mapping.start == memory->start + memory->bytes && mapping.offset == memory->bytes) {
            memory->bytes += mapping.end - mapping.start;
            continue;
        }
        ranges++;
        from_start = mapping.offset == 0;
        *memory = (struct guest_memory){mapping.start, mapping.end - mapping.start};
    }
    fclose(maps);
    if (ranges != 1) return failed(failure, "mapping", "the base image is mapped privately %d times, not once", ranges);
    if (!from_start || memory->bytes != (uint64_t)file.st_size)
        return failed(failure, "mapping", "the base image has %lld bytes, %lu are mapped", (long long)file.st_size, memory->bytes);
    return true;
}
