// What this process may do, and what the kernel kills first when memory runs out.
#ifndef RIGHTS_H
#define RIGHTS_H
#include "failure.h"
#include <sys/types.h>

// Never killed for want of memory: it is small, and what it holds is killed instead.
void spare_from_oom(void);
void offer_to_oom(pid_t duplicate);
// From when all files of the source are open: to trace it, to look at its duplicate, to kill that.
bool keep_rights_to_freeze(struct failure *failure);
// From when the duplicate's files are open: only to kill it.
bool keep_rights_to_write(struct failure *failure);

#endif
