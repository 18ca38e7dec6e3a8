#include "job.h"

#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define READ_MAX (256u << 10)
#define PIPE_SMALL (64 << 10)
#define PIPE_LARGE (1 << 20)

static void close_watch(struct agent *agent, struct watch *watch)
{
	if (watch->fd < 0)
		return;
	loop_watch(&agent->loop, watch, 0);
	close(watch->fd);
	watch->fd = -1;
}

static void close_input(struct job *job)
{
	close_watch(job->agent, &job->input);
	stream_discard_input(job->stream);
}

static void job_free(struct job *job)
{
	struct agent *agent = job->agent;
	for (struct job **place = &agent->jobs; *place; place = &(*place)->next)
		if (*place == job) {
			*place = job->next;
			break;
		}
	close_watch(agent, &job->input);
	close_watch(agent, &job->output[0].watch);
	close_watch(agent, &job->output[1].watch);
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
			close_watch(job->agent, &output->watch);
		if (output->watch.fd >= 0)
			return;
	}
	job->stream->ops = NULL;
	job->finish(job);
	job_free(job);
}

static void output_ready(void *owner, uint32_t events)
{
	struct job_output *output = owner;
	struct job *job = output->job;
	struct stream *stream = job->stream;
	(void)events;
	size_t room = ring_room(&stream->out, output->channel);
	if (room == 0) {
		loop_watch(&job->agent->loop, &output->watch, 0);
		return;
	}
	struct iovec piece[2];
	int pieces = ring_reserve(&stream->out, READ_MAX, piece);
	ssize_t got = readv(output->watch.fd, piece, pieces);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		close_watch(job->agent, &output->watch);
		job_check_finished(job);
		return;
	}
	ring_commit(&stream->out, output->channel, (size_t)got);
	stream_produced(stream);
	if (got >= PIPE_SMALL && !output->grown && !job->terminal) {
		output->grown = true;
		fcntl(output->watch.fd, F_SETPIPE_SZ, PIPE_LARGE);
	}
	if (output->owed > 0)
		output->owed -= (int)got;
	if (job->drain_over)
		job_check_finished(job);
}

static void end_input(struct job *job)
{
	struct termios settings;
	char end = 4;
	if (job->terminal && tcgetattr(job->input.fd, &settings) == 0)
		end = (char)settings.c_cc[VEOF];
	if (job->terminal && write(job->input.fd, &end, 1) < 0 && errno == EAGAIN) {
		loop_watch(&job->agent->loop, &job->input, EPOLLOUT);
		return;
	}
	close_input(job);
}

static void feed_input(struct job *job)
{
	const uint8_t *bytes;
	size_t len;
	while (job->input.fd >= 0 && (len = stream_pending(job->stream, &bytes)) > 0) {
		ssize_t put = write(job->input.fd, bytes, len);
		if (put > 0) {
			stream_consume(job->stream, (size_t)put);
			continue;
		}
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EAGAIN) {
			loop_watch(&job->agent->loop, &job->input, EPOLLOUT);
			return;
		}
		close_input(job);
		return;
	}
	if (job->input.fd < 0)
		return;
	if (job->stream->in_eof)
		end_input(job);
	else
		loop_watch(&job->agent->loop, &job->input, 0);
}

static void input_ready(void *owner, uint32_t events)
{
	(void)events;
	feed_input(owner);
}

static void on_input(struct stream *stream)
{
	struct job *job = stream->work;
	if (job->input.events == 0) /* else it waits for the reader */
		feed_input(job);
}

static void on_room(struct stream *stream)
{
	struct job *job = stream->work;
	for (int i = 0; i < 2; i++)
		if (job->output[i].watch.fd >= 0)
			loop_watch(&job->agent->loop, &job->output[i].watch, EPOLLIN);
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

static const struct work_ops job_ops = {.input = on_input, .room = on_room, .control = on_control, .abort = on_abort};

static void adopt(struct watch *watch, int fd, void (*ready)(void *, uint32_t), void *owner)
{
	*watch = (struct watch){.fd = fd, .ready = ready, .owner = owner};
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

struct job *job_new(struct agent *agent, struct stream *stream, int in_fd, int out_fd, int err_fd)
{
	struct job *job = calloc(1, sizeof *job);
	if (!job)
		return NULL;
	job->agent = agent;
	job->stream = stream;
	adopt(&job->input, in_fd, input_ready, job);
	int fds[2] = {out_fd, err_fd};
	for (int i = 0; i < 2; i++) {
		job->output[i].job = job;
		job->output[i].channel = (uint8_t)(i + 1);
		adopt(&job->output[i].watch, fds[i], output_ready, &job->output[i]);
	}
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
	close_input(job);
	for (int i = 0; i < 2; i++)
		if (job->output[i].watch.fd < 0 || ioctl(job->output[i].watch.fd, FIONREAD, &job->output[i].owed) < 0)
			job->output[i].owed = 0;
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
