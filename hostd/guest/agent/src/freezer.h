/* The kinds `freeze-workload` and `thaw-workload`: all processes of the workload stop where they are, so that a copy of the machine can be made
 * different from it before any of them runs. */
#ifndef OFFSHOOT_FREEZER_H
#define OFFSHOOT_FREEZER_H

#include "fields.h"
#include "loop.h"
#include "stream.h"

#include <stdbool.h>

struct agent;

struct freezer {
	bool asked; /* from the request on: a process started in the workload would not get as far as its program */
	struct stream *waiting; /* whose answer is due when all have stopped */
	struct watch events;
	struct timer deadline, look;
};

bool freezer_is_there(const struct agent *agent);
void freezer_start(struct agent *agent, struct stream *stream, const struct fields *fields);
void freezer_end(struct agent *agent, struct stream *stream, const struct fields *fields);
/* The workload goes on, and what was opened meanwhile begins. */
void freezer_thaw(struct agent *agent);

#endif
