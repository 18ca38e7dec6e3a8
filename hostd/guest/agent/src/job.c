#include "job.h"

#include "agent.h"
#include "hooks.h"
#include "job-io.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static void job_free(struct job *job)
{
	struct agent *agent = job->agent;
	for (struct job **place = &agent->jobs; *place; place = &(*place)->next)
		if (*place == job) {
			*place = job->next;
			break;
		}
	job->stream = NULL;
	job_input_close(job);
	job_output_close(&job->output[0]);
	job_output_close(&job->output[1]);
	loop_clear_timer(&agent->loop, &job->drain);
	if (job->release)
		job->release(job);
	free(job);
}

void job_check_finished(struct job *job)
{
	if (!job->reaped || job->held)
		return;
	for (int i = 0; i < 2; i++) {
		struct job_output *output = &job->output[i];
		if (output->watch.fd >= 0 && job->drain_over && output->owed <= 0)
			job_output_close(output);
		if (output->watch.fd >= 0)
			return;
	}
	job->stream->ops = NULL;
	job->finish(job);
	job_free(job);
}

static void on_input(struct stream *stream)
{
	struct job *job = stream->work;
	if (job->input.events == 0) /* else it waits for the reader */
		job_input_feed(job);
}

static void on_room(struct stream *stream)
{
	struct job *job = stream->work;
	job_output_resume(&job->output[0]);
	job_output_resume(&job->output[1]);
}

void job_signal(const struct job *job, int number)
{
	if (!job->reaped && job->pid > 0)
		kill(job->group ? -job->pid : job->pid, number);
}

static void on_control(struct stream *stream, const struct fields *fields)
{
	struct job *job = stream->work;
	uint64_t number = 0, rows = 0, cols = 0;
	if (fields_u64(fields, "signal", SIGRTMAX, &number) == 1 && number > 0)
		job_signal(job, (int)number);
	if (job->terminal && fields_u64(fields, "rows", 65535, &rows) == 1 && fields_u64(fields, "cols", 65535, &cols) == 1) {
		struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
		ioctl(job->output[0].watch.fd, TIOCSWINSZ, &size);
	}
}

static void on_abort(struct stream *stream)
{
	struct job *job = stream->work;
	/* Before its input closes: a writer must not take that for the end of its data. */
	job_signal(job, SIGKILL);
	job_free(job);
}

static bool on_detach(struct stream *stream)
{
	struct job *job = stream->work;
	if (!job->detached)
		return false;
	job->detached(job);
	return true;
}

static const struct work_ops job_ops = {.input = on_input, .room = on_room, .control = on_control, .detach = on_detach, .abort = on_abort};

struct job *job_new(struct agent *agent, struct stream *stream, int in_fd, int out_fd, int err_fd)
{
	struct job *job = calloc(1, sizeof *job);
	if (!job)
		return NULL;
	job->agent = agent;
	job->stream = stream;
	job_input_adopt(job, in_fd);
	job_output_adopt(job, 0, out_fd);
	job_output_adopt(job, 1, err_fd);
	return job;
}

void job_run(struct job *job, pid_t pid)
{
	job->pid = pid;
	job->next = job->agent->jobs;
	job->agent->jobs = job;
	job->stream->ops = &job_ops;
	job->stream->work = job;
	if (job->input.fd < 0)
		stream_discard_input(job->stream);
	on_room(job->stream);
}

void job_discard(struct job *job)
{
	job_free(job);
}

static void drain_over(void *owner)
{
	struct job *job = owner;
	job->drain_over = true;
	job_check_finished(job);
}

static void job_reaped(struct job *job, int status, const struct rusage *usage)
{
	job->reaped = true;
	job->status = status;
	job->usage = *usage;
	job_input_close(job);
	job_output_settle(&job->output[0]);
	job_output_settle(&job->output[1]);
	job->drain.fire = drain_over;
	job->drain.owner = job;
	loop_set_timer(&job->agent->loop, &job->drain, job->drain_ms);
	if (job->ended)
		job->ended(job);
	job_check_finished(job);
}

static void reap(void *owner, uint32_t events)
{
	struct agent *agent = owner;
	struct signalfd_siginfo info;
	(void)events;
	while (read(agent->child_watch.fd, &info, sizeof info) > 0)
		;
	for (;;) {
		int status;
		struct rusage usage;
		pid_t pid = wait4(-1, &status, WNOHANG, &usage);
		if (pid <= 0)
			return;
		hooks_reaped(agent, pid, status);
		for (struct job *job = agent->jobs; job; job = job->next)
			if (job->pid == pid && !job->reaped) {
				job_reaped(job, status, &usage);
				break;
			}
	}
}

int jobs_init(struct agent *agent)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -1;
	agent->child_watch = (struct watch){.fd = fd, .ready = reap, .owner = agent};
	return loop_watch(&agent->loop, &agent->child_watch, EPOLLIN);
}
