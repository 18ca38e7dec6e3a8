/* The `metrics` kind: what the machine has and uses. */
#ifndef OFFSHOOT_METRICS_H
#define OFFSHOOT_METRICS_H

#include "fields.h"
#include "stream.h"

struct agent;

void metrics_start(struct agent *agent, struct stream *stream, const struct fields *fields);

#endif
