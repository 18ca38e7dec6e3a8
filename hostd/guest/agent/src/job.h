/* A child process bound to a stream: its input and output descriptors, its end, and what is drained after it. */
#ifndef OFFSHOOT_JOB_H
#define OFFSHOOT_JOB_H

#include "loop.h"
#include "stream.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct agent;
struct job;

struct job_output {
	struct watch watch; /* fd -1: at its end */
	struct job *job;
	uint8_t channel;
	bool grown;
	uint64_t read_at_ms, armed_at_ms;
	unsigned small_reads; /* in close succession */
	bool chatty;
	struct timer pause; /* a chatty writer is let run on before it is read again */
	int owed; /* bytes written before the process ended: read whatever the drain time says */
};

struct job {
	struct agent *agent;
	struct stream *stream;
	struct job *next;
	pid_t pid;
	bool group; /* leader of its own process group: signals go to all of it */
	bool terminal;
	struct watch input;
	struct job_output output[2];

	bool reaped;
	int status;
	struct rusage usage;
	uint64_t drain_ms;
	struct timer drain;
	bool drain_over;
	bool held; /* finish is put off by the owner */

	/* Called once, when the process is gone and its output is in the stream: ends the stream. The job is freed afterwards. */
	void (*finish)(struct job *job);
	/* Called right after the process was reaped; may be NULL. */
	void (*ended)(struct job *job);
	/* Called when nobody listens any more and the process is to go on; NULL: then it is killed. */
	void (*detached)(struct job *job);
	/* Frees what the owner hung on the job. */
	void (*release)(struct job *job);
	void *own;
};

/* A job on this stream whose descriptors (-1: none) it now owns; in_fd and the outputs become non-blocking. NULL when memory is short. */
struct job *job_new(struct agent *agent, struct stream *stream, int in_fd, int out_fd, int err_fd);
/* The process runs: from now on the job lives until finish or the stream's abort. */
void job_run(struct job *job, pid_t pid);
/* Closes and frees a job that never ran. */
void job_discard(struct job *job);
void job_signal(const struct job *job, int number);
/* Goes on when `held` was cleared. */
void job_check_finished(struct job *job);
/* Takes SIGCHLD over: reaps every child, known or orphaned. Returns 0 or -1. */
int jobs_init(struct agent *agent);

#endif
