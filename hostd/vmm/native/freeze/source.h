// The process that is duplicated, and where its guest's memory is.
#ifndef SOURCE_H
#define SOURCE_H
#include "failure.h"
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define PAGE_BYTES 4096ul

struct mapping {
    uint64_t start, end, offset;
    unsigned device_major, device_minor;
    unsigned long inode;
    char permissions[5];
    char path[256];
};

struct guest_memory {
    uint64_t start, bytes;
};

// A pidfd of exactly the process with this start time (field 22 of /proc/PID/stat); -1 when it is gone.
int open_source(pid_t pid, unsigned long long start_ticks, struct failure *failure);
int open_of_process(pid_t pid, const char *file, int flags, struct failure *failure);
FILE *open_maps(pid_t pid, struct failure *failure);
bool next_mapping(FILE *maps, struct mapping *mapping);
// The one range that maps `base` privately and whole; refused when there is none, or more than one.
bool find_guest_memory(pid_t pid, int base, struct guest_memory *memory, struct failure *failure);

#endif
