#include "agent.h"
#include "job-io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define READ_MAX (256u << 10)
#define PIPE_SMALL (64 << 10)
#define PIPE_LARGE (1 << 20)
#define SMALL_READ (16 << 10)
/* This many small reads within a millisecond of each other make a writer chatty: taking each write alone would cost a switch of process and a
 * frame for every line. Others are forwarded at once. */
#define CHATTY_READS 8
#define CHATTY_PAUSE_MS 2
#define NO_MEMORY_PAUSE_MS 100

static void pause_over(void *owner)
{
	struct job_output *output = owner;
	if (output->watch.fd >= 0)
		loop_watch(&output->job->agent->loop, &output->watch, EPOLLIN);
}

static void pause_if_chatty(struct job_output *output, ssize_t got)
{
	uint64_t now = loop_now_ms();
	bool small = got < SMALL_READ && now - output->read_at_ms <= CHATTY_PAUSE_MS;
	output->small_reads = small ? output->small_reads + 1 : 0;
	output->read_at_ms = now;
	if (output->small_reads < CHATTY_READS || output->job->reaped)
		return;
	loop_watch(&output->job->agent->loop, &output->watch, 0);
	loop_set_timer(&output->job->agent->loop, &output->pause, CHATTY_PAUSE_MS);
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
		if (!stream->out.buf) /* no memory for a ring: no acknowledgement will come either */
			loop_set_timer(&job->agent->loop, &output->pause, NO_MEMORY_PAUSE_MS);
		return;
	}
	struct iovec piece[2];
	int pieces = ring_reserve(&stream->out, READ_MAX, piece);
	ssize_t got = readv(output->watch.fd, piece, pieces);
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		job_output_close(output);
		job_check_finished(job);
		return;
	}
	ring_commit(&stream->out, output->channel, (size_t)got);
	stream_produced(stream);
	if (got >= PIPE_SMALL && !output->grown && !job->terminal) {
		output->grown = true;
		fcntl(output->watch.fd, F_SETPIPE_SZ, PIPE_LARGE);
	}
	pause_if_chatty(output, got);
	if (output->owed > 0)
		output->owed -= (int)got;
	if (job->drain_over)
		job_check_finished(job);
}

void job_output_adopt(struct job *job, int index, int fd)
{
	struct job_output *output = &job->output[index];
	output->job = job;
	output->channel = (uint8_t)(index + 1);
	output->watch = (struct watch){.fd = fd, .ready = output_ready, .owner = output};
	output->pause = (struct timer){.fire = pause_over, .owner = output};
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void job_output_close(struct job_output *output)
{
	loop_clear_timer(&output->job->agent->loop, &output->pause);
	if (output->watch.fd < 0)
		return;
	loop_watch(&output->job->agent->loop, &output->watch, 0);
	close(output->watch.fd);
	output->watch.fd = -1;
}

void job_output_resume(struct job_output *output)
{
	if (!output->pause.set)
		pause_over(output);
}

void job_output_settle(struct job_output *output)
{
	if (output->watch.fd < 0 || ioctl(output->watch.fd, FIONREAD, &output->owed) < 0)
		output->owed = 0;
	loop_clear_timer(&output->job->agent->loop, &output->pause);
	pause_over(output);
}
