// A copy-on-write duplicate of the source's memory: a child of the source's parent that never runs.
#ifndef DUPLICATE_H
#define DUPLICATE_H
#include "failure.h"
#include "gadgets.h"
#include "unwind.h"
#include <sys/types.h>

// Pid of the duplicate, held by ptrace and killed with this process; -1 leaves the source as it was.
pid_t make_duplicate(pid_t source, int memory, const struct gadgets *gadgets, struct range guest, struct failure *failure);
// Kills it and waits until its memory is free again. Nothing happens for a pid that is not positive.
void end_duplicate(pid_t duplicate);
bool duplicate_lives(pid_t duplicate);

#endif
