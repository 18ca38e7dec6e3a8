/* Execs opened while the workload is frozen: they begin at the thaw. Starting one earlier would wait for it in the kernel, and the agent with it. */
#ifndef OFFSHOOT_PARKED_H
#define OFFSHOOT_PARKED_H

#include "../stream.h"

struct agent;

/* Keeps the stream, whose OPEN is still in it, and what comes for it. */
void parked_add(struct agent *agent, struct stream *stream);
/* Begins all, in the order of their numbers. */
void parked_start_all(struct agent *agent);

#endif
