/* Programs that a copy of a machine runs before its workload goes on: new ssh host keys, then /etc/offshoot/on-fork.d. */
#ifndef OFFSHOOT_HOOKS_H
#define OFFSHOOT_HOOKS_H

#include <stdint.h>
#include <sys/types.h>

struct agent;

struct hooks_request {
	const char *root; /* "" or, in tests, a folder that stands in for "/" */
	const char *generation, *hostname; /* for their environment */
	uint64_t timeout_ms; /* all together */
	/* Called once, maybe before hooks_run returns: step and message are NULL when all went well. */
	void (*done)(void *owner, const char *step, const char *message);
	void *owner;
};

/* One run at a time. */
void hooks_run(struct agent *agent, const struct hooks_request *request);
/* Kills what runs; `done` is not called. */
void hooks_abort(struct agent *agent);
/* A child was reaped that is no job's. */
void hooks_reaped(struct agent *agent, pid_t pid, int status);

#endif
