/* An exec as asked for: its OPEN fields, checked. */
#ifndef OFFSHOOT_EXEC_REQUEST_H
#define OFFSHOOT_EXEC_REQUEST_H

#include "../fields.h"
#include "../stream.h"
#include "environment.h"
#include "users.h"

#include <stdbool.h>
#include <stdint.h>

struct exec_request {
	struct strings argv, env, paths;
	int script_fd; /* a shell text too long for an argument, or -1 */
	const char *cwd;
	struct user user;
	bool switch_user;
	bool terminal, input;
	uint64_t rows, cols;
	uint64_t timeout_ms; /* 0: none */
	uint64_t drain_ms;
};

/* Fills the request; on an error the stream has ended with it and nothing is kept. `workspace` is the default cwd. */
bool exec_request_read(struct exec_request *request, struct stream *stream, const struct fields *fields, const char *workspace);
void exec_request_free(struct exec_request *request);

#endif
