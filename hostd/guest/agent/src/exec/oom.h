/* The kernel's count of processes its OOM killer ended. */
#ifndef OFFSHOOT_OOM_H
#define OFFSHOOT_OOM_H

#include <stdint.h>

/* Since boot; 0 when the kernel does not tell. */
uint64_t oom_kills(void);
/* The count as it was when it was asked for last: no cost. */
uint64_t oom_kills_known(void);

#endif
