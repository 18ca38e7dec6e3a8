/* The `prepare-resume` kind: a restored machine takes up its identity, and only then its workload goes on. */
#ifndef OFFSHOOT_RESUME_H
#define OFFSHOOT_RESUME_H

#include "fields.h"
#include "stream.h"

struct agent;

void resume_start(struct agent *agent, struct stream *stream, const struct fields *fields);

#endif
