#include "memory.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool open_memory(struct memory *memory, uint64_t min_available_bytes, struct failure *failure) {
    memory->min_available_bytes = min_available_bytes;
    memory->meminfo = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    return memory->meminfo >= 0 || failed_errno(failure, "start", "open /proc/meminfo");
}

bool memory_suffices(struct memory *memory, struct failure *failure) {
    char text[1024];
    unsigned long available_kib;
    ssize_t length = pread(memory->meminfo, text, sizeof text - 1, 0);
    if (length <= 0) return failed_errno(failure, "watch", "read /proc/meminfo");
    text[length] = 0;
    const char *line = strstr(text, "MemAvailable:");
    if (!line || sscanf(line, "MemAvailable: %lu", &available_kib) != 1) return failed(failure, "watch", "/proc/meminfo: not understood");
    if (available_kib * 1024 >= memory->min_available_bytes) return true;
    return failed(failure, "memory", "%lu MiB of the host's memory are free, %lu are to stay so", available_kib / 1024, memory->min_available_bytes >> 20);
}
