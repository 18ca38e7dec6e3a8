/* The `sync` and `shutdown` kinds. */
#ifndef OFFSHOOT_POWER_H
#define OFFSHOOT_POWER_H

#include "fields.h"
#include "stream.h"

struct agent;

void power_sync(struct agent *agent, struct stream *stream, const struct fields *fields);
void power_shutdown(struct agent *agent, struct stream *stream, const struct fields *fields);
/* Once a shutdown was answered and the answer is out: ends everything. As PID 1 it does not return. */
void power_settle(struct agent *agent);

#endif
