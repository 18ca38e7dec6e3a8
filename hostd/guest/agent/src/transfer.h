/* The file kinds: each runs in a child process of the agent (worker.h). */
#ifndef OFFSHOOT_TRANSFER_H
#define OFFSHOOT_TRANSFER_H

#include "fields.h"
#include "stream.h"

struct agent;

void transfer_start(struct agent *agent, struct stream *stream, const struct fields *fields);

#endif
