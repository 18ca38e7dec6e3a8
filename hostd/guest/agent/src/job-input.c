#include "agent.h"
#include "job-io.h"

#include <errno.h>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

void job_input_close(struct job *job)
{
	if (job->input.fd >= 0) {
		loop_watch(&job->agent->loop, &job->input, 0);
		close(job->input.fd);
		job->input.fd = -1;
	}
	if (job->stream)
		stream_discard_input(job->stream);
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
	job_input_close(job);
}

void job_input_feed(struct job *job)
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
		job_input_close(job);
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
	job_input_feed(owner);
}

void job_input_adopt(struct job *job, int fd)
{
	job->input = (struct watch){.fd = fd, .ready = input_ready, .owner = job};
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}
