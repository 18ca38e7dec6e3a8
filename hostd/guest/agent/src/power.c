#include "power.h"

#include "agent.h"
#include "boot/console.h"
#include "exec/spawn.h"
#include "job.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A host that is gone takes no answer; the machine goes down all the same. */
#define ANSWER_WAIT_MS 2000
#define TERM_WAIT_MS 500
#define POLL_MS 10
#define FLUSH_WAIT_MS 5000
#define STACK_SIZE (16u << 10)

static void sync_finish(struct job *job)
{
	struct fields_out result = {0};
	if (WIFEXITED(job->status) && WEXITSTATUS(job->status) == 0)
		fields_put_string(&result, "ok", "1");
	else
		fields_put_string(&result, "error", "io");
	stream_end(job->stream, &result);
}

static bool flushing;

static void sync_release(struct job *job)
{
	/* One that was given up may still be at it, on that stack: later ones fork. */
	flushing = !job->reaped;
}

/* Shares the agent's memory, so it only makes system calls. */
SPAWN_SHARED_MEMORY static int flush(void *unused)
{
	(void)unused;
	syscall(SYS_sync);
	syscall(SYS_exit, 0);
	return 0;
}

/* A forked copy of the agent's memory would have each page of it cost a fault afterwards, in the machine and in all its copies. */
static pid_t start_flushing(void)
{
	static char stack[STACK_SIZE] __attribute__((aligned(16)));
	return clone(flush, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
}

/* In a child: flushing may take long, and other streams go on meanwhile. */
void power_sync(struct agent *agent, struct stream *stream, const struct fields *fields)
{
	(void)fields;
	bool shared = !flushing;
	struct job *job = job_new(agent, stream, -1, -1, -1);
	pid_t pid = !job ? -1 : shared ? start_flushing() : fork();
	if (pid == 0) {
		sync();
		_exit(0);
	}
	if (pid < 0) {
		if (job)
			job_discard(job);
		stream_fail(stream, "io", "no process to flush in");
		return;
	}
	job->finish = sync_finish;
	if (shared) {
		flushing = true;
		job->release = sync_release;
	}
	job_run(job, pid);
}

static void answered_or_not(void *owner)
{
	struct agent *agent = owner;
	agent->power.overdue = true;
}

void power_shutdown(struct agent *agent, struct stream *stream, const struct fields *fields)
{
	struct fields_out result = {0};
	(void)fields;
	fields_put_string(&result, "ok", "1");
	stream_end(stream, &result);
	if (agent->power.off)
		return;
	agent->power.off = true;
	/* So that everything can end in order. */
	freezer_thaw(agent);
	agent->power.wait = (struct timer){.fire = answered_or_not, .owner = agent};
	loop_set_timer(&agent->loop, &agent->power.wait, ANSWER_WAIT_MS);
}

static void end_processes(void)
{
	struct timespec pause = {.tv_nsec = POLL_MS * 1000000};
	kill(-1, SIGTERM);
	kill(-1, SIGCONT);
	for (int waited = 0; waited < TERM_WAIT_MS; waited += POLL_MS) {
		pid_t ended;
		do
			ended = waitpid(-1, NULL, WNOHANG);
		while (ended > 0);
		/* Every process descends from PID 1: without children there is none. (A signal to -1 finds kernel threads, too.) */
		if (ended < 0 && errno == ECHILD)
			return;
		nanosleep(&pause, NULL);
	}
	kill(-1, SIGKILL);
	nanosleep(&pause, NULL);
}

/* In a child, for a bounded time: a disk that takes no more must not keep the machine up. */
static void flush_disk(void)
{
	struct timespec pause = {.tv_nsec = POLL_MS * 1000000};
	pid_t pid = fork();
	if (pid == 0) {
		sync();
		mount(NULL, "/", NULL, MS_REMOUNT | MS_RDONLY, NULL);
		_exit(0);
	}
	for (int waited = 0; pid > 0 && waited < FLUSH_WAIT_MS; waited += POLL_MS) {
		pid_t ended = waitpid(-1, NULL, WNOHANG);
		if (ended == pid || (ended < 0 && errno == ECHILD))
			return;
		nanosleep(&pause, NULL);
	}
	console_say("powering off with the disk not flushed");
}

void power_settle(struct agent *agent)
{
	bool answered = agent->session.open && agent->session.out_at == agent->session.out_len;
	if (!agent->power.off || (!answered && !agent->power.overdue))
		return;
	if (!agent->is_init) {
		agent->loop.stopping = true;
		return;
	}
	end_processes();
	flush_disk();
	reboot(RB_POWER_OFF);
	reboot(RB_AUTOBOOT);
}
