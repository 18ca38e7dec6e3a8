/* What a host can open, by name. */
#ifndef OFFSHOOT_KINDS_H
#define OFFSHOOT_KINDS_H

#include "fields.h"
#include "stream.h"

struct agent;

/* Starts the work that the OPEN's fields ask for, or ends the stream with an error. */
void kinds_start(struct agent *agent, struct stream *stream, const struct fields *fields);
/* One `capability` field per kind and feature. */
void kinds_put_capabilities(const struct agent *agent, struct fields_out *out);
/* `boot-id` and `generation`. */
void kinds_put_identity(const struct agent *agent, struct fields_out *out);

#endif
