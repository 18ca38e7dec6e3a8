#include "transfer.h"

#include "agent.h"
#include "exec/spawn.h"
#include "frame.h"
#include "job.h"
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESULT_MAX (60u << 10)
#define DRAIN_MS 0

/* What the worker sends over its result pipe; read when it is gone, so the pipe must hold it all. */
struct transfer {
	int result_fd;
};

static void write_all(int fd, const unsigned char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t put = write(fd, bytes, len);
		if (put < 0 && errno != EINTR)
			return;
		bytes += put > 0 ? put : 0;
		len -= put > 0 ? (size_t)put : 0;
	}
}

static void fail(struct fields_out *result, const char *error, const char *message)
{
	fields_out_free(result);
	fields_put_string(result, "error", error);
	fields_put_string(result, "message", message);
}

/* In the forked child. */
static _Noreturn void work(const char *kind, const struct fields *fields, const int fd[3])
{
	struct fields_out result = {0};
	for (int i = 0; i < 3; i++)
		if (dup2(fd[i], i) < 0)
			_exit(1);
	syscall(SYS_close_range, 3u, ~0u, 0u);
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int in_fd = fcntl(0, F_DUPFD_CLOEXEC, 4), out_fd = fcntl(1, F_DUPFD_CLOEXEC, 4), result_fd = fcntl(2, F_DUPFD_CLOEXEC, 4);
	if (null_fd < 0 || in_fd < 0 || out_fd < 0 || result_fd < 0)
		_exit(1);
	for (int i = 0; i < 3; i++)
		dup2(null_fd, i);
	spawn_shed_privilege();
	worker_run(kind, fields, in_fd, out_fd, &result);
	if (result.failed || result.len > RESULT_MAX)
		fail(&result, "io", "the result is too large or memory ran out");
	write_all(result_fd, result.buf, result.len);
	_exit(0);
}

static void read_result(int fd, struct fields_out *result)
{
	unsigned char buf[RESULT_MAX];
	size_t len = 0;
	ssize_t got;
	while (len < sizeof buf && (got = read(fd, buf + len, sizeof buf - len)) > 0)
		len += (size_t)got;
	struct fields parsed;
	if (fields_parse(&parsed, buf, len, STREAM_FIELDS_MAX) < 0)
		return;
	for (size_t i = 0; i < parsed.count; i++)
		fields_put(result, parsed.items[i].key, parsed.items[i].value, parsed.items[i].value_len);
	fields_free(&parsed);
}

static void finish(struct job *job)
{
	const struct transfer *transfer = job->own;
	struct fields_out result = {0};
	read_result(transfer->result_fd, &result);
	if (result.len == 0 || result.failed || !WIFEXITED(job->status)) {
		char message[128];
		snprintf(message, sizeof message, WIFSIGNALED(job->status) ? "its worker died of signal %d" : "its worker ended with status %d and no result",
			WIFSIGNALED(job->status) ? WTERMSIG(job->status) : WEXITSTATUS(job->status));
		fail(&result, "io", message);
	}
	stream_end(job->stream, &result);
}

static void release(struct job *job)
{
	struct transfer *transfer = job->own;
	if (transfer->result_fd >= 0)
		close(transfer->result_fd);
	free(transfer);
}

static void close_pipe(int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

void transfer_start(struct agent *agent, struct stream *stream, const struct fields *fields)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, result[2] = {-1, -1};
	struct transfer *transfer = calloc(1, sizeof *transfer);
	struct job *job = NULL;
	pid_t pid = -1;
	if (transfer && pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(result, O_CLOEXEC | O_NONBLOCK) == 0)
		job = job_new(agent, stream, in[1], out[0], -1);
	if (job) {
		transfer->result_fd = result[0];
		job->own = transfer;
		job->drain_ms = DRAIN_MS;
		job->finish = finish;
		job->release = release;
		pid = fork();
	}
	if (pid == 0)
		work(stream->kind, fields, (int[]){in[0], out[1], result[1]});
	if (pid < 0) {
		stream_fail(stream, "io", "no worker process: %s", strerror(errno));
		if (job) {
			in[1] = out[0] = result[0] = -1;
			job_discard(job);
		} else {
			free(transfer);
		}
		close_pipe(in);
		close_pipe(out);
		close_pipe(result);
		return;
	}
	close(in[0]);
	close(out[1]);
	close(result[1]);
	job_run(job, pid);
}
