/* The `exec` kind: one program with its output, input, terminal, timeout and result. */
#ifndef OFFSHOOT_EXEC_H
#define OFFSHOOT_EXEC_H

#include "../fields.h"
#include "../stream.h"

struct agent;

void exec_start(struct agent *agent, struct stream *stream, const struct fields *fields);

#endif
