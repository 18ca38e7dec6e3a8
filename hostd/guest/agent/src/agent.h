/* The whole agent: what its parts share. */
#ifndef OFFSHOOT_AGENT_H
#define OFFSHOOT_AGENT_H

#include "freezer.h"
#include "link.h"
#include "loop.h"
#include "session.h"
#include "workload.h"

#ifndef AGENT_BUILD
#define AGENT_BUILD "unknown"
#endif

struct hooks;
struct job;

struct agent {
	struct loop loop;
	struct link link;
	struct session session;
	struct job *jobs;
	struct watch child_watch;
	int null_fd;
	struct workload workload;
	struct freezer freezer;
	struct stream *resuming; /* waits for hooks, or NULL */
	struct hooks *hooks;
	bool is_init; /* PID 1 of a guest */
	const char *workspace; /* default cwd of an exec */
	const char *dry_identity; /* tests: a folder that takes what would change this machine */
	char generation[24], boot_id[40]; /* as they were set last: told in every hello */
	struct {
		bool off; /* asked for */
		bool overdue;
		struct timer wait;
	} power;
};

#endif
