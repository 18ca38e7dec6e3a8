/* Why a program could not be started, in the protocol's words. */
#ifndef OFFSHOOT_REFUSAL_H
#define OFFSHOOT_REFUSAL_H

#include "../stream.h"
#include "request.h"
#include "spawn.h"

/* Ends the stream of an exec whose spawn failed. */
void refusal_explain(struct stream *stream, const struct spawn *spawn, const struct exec_request *request);

#endif
