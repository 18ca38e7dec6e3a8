#include "memory.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PAGE_BYTES 4096ul

bool open_memory(struct memory *memory, pid_t source, uint64_t min_available_bytes, struct failure *failure) {
    open_cgroup(&memory->cgroup, source);
    memory->min_available_bytes = min_available_bytes;
    memory->meminfo = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    return memory->meminfo >= 0 || failed_errno(failure, "start", "open /proc/meminfo");
}

// As much as both have now: all that the source can rewrite.
void make_room(struct memory *memory, pid_t source, pid_t duplicate) {
    char path[64];
    unsigned long resident = 0, of_files = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", duplicate);
    FILE *file = fopen(path, "re");
    if (!file) return;
    if (fscanf(file, "%*u %lu %lu", &resident, &of_files) == 2 && resident > of_files)
        raise_cgroup_limit(&memory->cgroup, source, duplicate, (resident - of_files) * PAGE_BYTES);
    fclose(file);
}

bool memory_suffices(struct memory *memory, struct failure *failure) {
    char text[1024];
    unsigned long available_kib;
    ssize_t length = pread(memory->meminfo, text, sizeof text - 1, 0);
    if (length <= 0) return failed_errno(failure, "watch", "read /proc/meminfo");
    text[length] = 0;
    const char *line = strstr(text, "MemAvailable:");
    if (!line || sscanf(line, "MemAvailable: %lu", &available_kib) != 1) return failed(failure, "watch", "/proc/meminfo: not understood");
    if (available_kib * 1024 >= memory->min_available_bytes) return cgroup_suffices(&memory->cgroup, failure);
    return failed(failure, "memory", "%lu MiB of the host's memory are free, %lu are to stay so", available_kib / 1024, memory->min_available_bytes >> 20);
}
