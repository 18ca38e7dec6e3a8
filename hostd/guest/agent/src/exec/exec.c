#include "exec.h"

#include "../agent.h"
#include "../job.h"
#include "oom.h"
#include "parked.h"
#include "refusal.h"
#include "request.h"
#include "spawn.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_MS 2000
#define GROUP_POLL_MS 50
#define COUNT_KILLS_MS 1000

/* What only an exec needs of its job. */
struct exec {
	struct timer deadline; /* the timeout, then the end of its grace */
	uint64_t kill_at_ms;
	bool timed_out, killed;
	uint64_t oom_kills; /* before it */
	struct timer count_kills;
};

/* Both ends of what an exec's descriptors are connected by; -1 where there is none. */
struct plumbing {
	int child[3];
	int ours[3];
};

static void close_all(const int fds[3])
{
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

static bool connect_pipe(struct plumbing *plumbing, int i, const struct exec_request *request)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	plumbing->child[i] = ends[i == 0 ? 0 : 1];
	plumbing->ours[i] = ends[i == 0 ? 1 : 0];
	/* Else opening /dev/stdout again would be refused to another user. */
	return !request->switch_user || request->user.uid == 0 || fchown(plumbing->child[i], request->user.uid, request->user.gid) == 0;
}

static bool connect_all(struct plumbing *plumbing, const struct exec_request *request, int null_fd)
{
	*plumbing = (struct plumbing){{-1, -1, -1}, {-1, -1, -1}};
	if (request->terminal)
		return terminal_open(request, plumbing->child, plumbing->ours);
	if (request->input ? !connect_pipe(plumbing, 0, request) : (plumbing->child[0] = fcntl(null_fd, F_DUPFD_CLOEXEC, 4)) < 0)
		return false;
	return connect_pipe(plumbing, 1, request) && connect_pipe(plumbing, 2, request);
}

static bool group_lives(const struct job *job)
{
	return kill(-job->pid, 0) == 0;
}

/* The timeout, its grace, and watching a group that outlives its leader until the grace is over. */
static void deadline(void *owner)
{
	struct job *job = owner;
	struct exec *exec = job->own;
	uint64_t now = loop_now_ms();
	if (!exec->timed_out) {
		exec->timed_out = true;
		exec->kill_at_ms = now + GRACE_MS;
		job_signal(job, SIGTERM);
		job_signal(job, SIGCONT);
		loop_set_timer(&job->agent->loop, &exec->deadline, GRACE_MS);
		return;
	}
	if (now >= exec->kill_at_ms) {
		exec->killed = true;
		kill(-job->pid, SIGKILL);
	} else if (job->held && group_lives(job)) {
		loop_set_timer(&job->agent->loop, &exec->deadline, GROUP_POLL_MS);
		return;
	}
	if (!job->held)
		return;
	job->held = false;
	job_check_finished(job);
}

static void ended(struct job *job)
{
	struct exec *exec = job->own;
	loop_clear_timer(&job->agent->loop, &exec->deadline);
	if (!exec->timed_out || exec->killed || !group_lives(job))
		return;
	job->held = true;
	loop_set_timer(&job->agent->loop, &exec->deadline, GROUP_POLL_MS);
}

static uint64_t microseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_usec;
}

/* A shell tells of a killed child by its own exit code. */
static bool looks_killed(int status)
{
	return WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 128 + SIGKILL;
}

/* The kernel sums all its counters for it, which a short command would feel: only one that goes on for a while begins with a fresh count. */
static void count_kills(void *owner)
{
	struct exec *exec = owner;
	exec->oom_kills = oom_kills();
}

static void finish(struct job *job)
{
	const struct exec *exec = job->own;
	struct fields_out result = {0};
	fields_put_string(&result, "ok", "1");
	if (WIFSIGNALED(job->status))
		fields_put_u64(&result, "signal", (uint64_t)WTERMSIG(job->status));
	else
		fields_put_u64(&result, "exit-code", (uint64_t)WEXITSTATUS(job->status));
	if (exec->timed_out)
		fields_put_string(&result, "timed-out", "1");
	if (looks_killed(job->status) && oom_kills() > exec->oom_kills && !exec->killed)
		fields_put_string(&result, "oom-killed", "1");
	fields_put_u64(&result, "user-us", microseconds(job->usage.ru_utime));
	fields_put_u64(&result, "system-us", microseconds(job->usage.ru_stime));
	fields_put_u64(&result, "max-rss-kib", (uint64_t)job->usage.ru_maxrss);
	stream_end(job->stream, &result);
}

/* For the host this exec has ended: its timeout is void. One whose time is up already is on its way out. */
static void detached(struct job *job)
{
	struct exec *exec = job->own;
	if (!exec->timed_out)
		loop_clear_timer(&job->agent->loop, &exec->deadline);
}

static void release(struct job *job)
{
	struct exec *exec = job->own;
	loop_clear_timer(&job->agent->loop, &exec->deadline);
	loop_clear_timer(&job->agent->loop, &exec->count_kills);
	free(exec);
}

static struct job *prepare(struct agent *agent, struct stream *stream, const struct exec_request *request, const int ours[3])
{
	struct exec *exec = calloc(1, sizeof *exec);
	struct job *job = exec ? job_new(agent, stream, ours[0], ours[1], ours[2]) : NULL;
	if (!job) {
		free(exec);
		return NULL;
	}
	exec->deadline = (struct timer){.fire = deadline, .owner = job};
	exec->oom_kills = oom_kills_known();
	exec->count_kills = (struct timer){.fire = count_kills, .owner = exec};
	job->own = exec;
	job->group = true;
	job->terminal = request->terminal;
	job->drain_ms = request->drain_ms;
	job->finish = finish;
	job->ended = ended;
	job->detached = detached;
	job->release = release;
	return job;
}

static void launch(struct agent *agent, struct stream *stream, const struct exec_request *request)
{
	struct plumbing plumbing;
	struct job *job = NULL;
	if (connect_all(&plumbing, request, agent->null_fd))
		job = prepare(agent, stream, request, plumbing.ours);
	if (!job) {
		stream_fail(stream, "spawn-failed", "no descriptors or memory: %s", strerror(errno));
		close_all(plumbing.ours);
		close_all(plumbing.child);
		return;
	}
	struct spawn s = {.paths = request->paths.items, .argv = request->argv.items, .envp = request->env.items, .cwd = request->cwd,
		.user = request->switch_user ? &request->user : NULL, .script_fd = request->script_fd, .terminal = request->terminal, 
		.cgroup_fd = agent->workload.commands_fd, .spare_cgroup_fd = agent->workload.beside_fd};
	memcpy(s.fd, plumbing.child, sizeof s.fd);
	pid_t pid = spawn(&s);
	close_all(plumbing.child);
	if (pid < 0) {
		job_discard(job);
		refusal_explain(stream, &s, request);
		return;
	}
	job_run(job, pid);
	loop_set_timer(&agent->loop, &((struct exec *)job->own)->count_kills, COUNT_KILLS_MS);
	if (request->timeout_ms > 0)
		loop_set_timer(&agent->loop, &((struct exec *)job->own)->deadline, request->timeout_ms);
}

void exec_start(struct agent *agent, struct stream *stream, const struct fields *fields)
{
	struct exec_request request;
	if (agent->freezer.asked) {
		parked_add(agent, stream);
		return;
	}
	if (!exec_request_read(&request, stream, fields, agent->workspace))
		return;
	launch(agent, stream, &request);
	exec_request_free(&request);
}
