// The memory cgroup of the source (v1 or v2): the duplicate's memory is counted there, and what the source rewrites is counted twice.
#ifndef CGROUP_H
#define CGROUP_H
#include "failure.h"
#include <stdint.h>
#include <sys/types.h>

#define CGROUP_LEVELS 8
#define CGROUP_LIMITS 2

struct cgroup_limit {
    int file; // -1: there is none
    uint64_t before;
    bool raised;
};

struct cgroup {
    int levels;
    // From the source's own upwards: usage, limit, statistics.
    struct {
        int usage, limit, statistics;
    } level[CGROUP_LEVELS];
    // Of the source's own, in the order in which they are raised.
    struct cgroup_limit own[CGROUP_LIMITS];
    char path[512];
};

// Opens what there is; a source without a memory cgroup has no levels, and nothing else ever fails.
void open_cgroup(struct cgroup *cgroup, pid_t source);
// Makes room for a duplicate of `bytes` in the source's own cgroup, when it is made for that VMM alone: nobody else is in it.
void raise_cgroup_limit(struct cgroup *cgroup, pid_t source, pid_t duplicate, uint64_t bytes);
void restore_cgroup_limit(struct cgroup *cgroup);
// At least a twentieth of every limit must be free.
bool cgroup_suffices(const struct cgroup *cgroup, struct failure *failure);

#endif
