/* The kernel's count of processes its OOM killer ended. */
#ifndef OFFSHOOT_OOM_H
#define OFFSHOOT_OOM_H

#include <stdint.h>

/* Since boot; 0 when the kernel does not tell. */
uint64_t oom_kills(void);
/* The same, at most a second old: the kernel sums all its counters for it, which an exec of a short command would feel. */
uint64_t oom_kills_lately(void);

#endif
