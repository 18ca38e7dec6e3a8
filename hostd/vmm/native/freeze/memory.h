// Memory that the source rewrites while its duplicate lives is there twice: watched, so that the duplicate is given up before anything else.
#ifndef MEMORY_H
#define MEMORY_H
#include "cgroup.h"
#include "failure.h"
#include <stdint.h>

struct memory {
    int meminfo;
    uint64_t min_available_bytes;
    struct cgroup cgroup;
};

bool open_memory(struct memory *memory, pid_t source, uint64_t min_available_bytes, struct failure *failure);
// The duplicate has been made: gives it room in the source's cgroup. Undone by restore_cgroup_limit.
void make_room(struct memory *memory, pid_t source, pid_t duplicate);
bool memory_suffices(struct memory *memory, struct failure *failure);

#endif
