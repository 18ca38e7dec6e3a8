#include "agent.h"
#include "job-io.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define READ_MAX (256u << 10)
#define PIPE_SMALL (64 << 10)
#define PIPE_LARGE (1 << 20)
/* A writer of many small pieces in close succession is chatty: taking each alone would cost a switch of process and a frame for every line. It is
 * let run on between reads, until it had nothing more to say after one. Others are forwarded at once. */
#define SMALL_READ (128 << 10)
#define CHATTY_READS 8
#define CHATTY_PAUSE_MS 2
#define NO_MEMORY_PAUSE_MS 100

static void enlarge(struct job_output *output)
{
	if (output->grown || output->job->terminal)
		return;
	output->grown = true;
	fcntl(output->watch.fd, F_SETPIPE_SZ, PIPE_LARGE);
}

static void pause_over(void *owner)
{
	struct job_output *output = owner;
	if (output->watch.fd < 0 || output->watch.events)
		return;
	output->armed_at_ms = loop_now_ms();
	loop_watch(&output->job->agent->loop, &output->watch, EPOLLIN);
}

static bool is_chatty(struct job_output *output, ssize_t got)
{
	uint64_t now = loop_now_ms();
	bool soon = now - output->read_at_ms <= CHATTY_PAUSE_MS, waited = now - output->armed_at_ms > CHATTY_PAUSE_MS;
	output->read_at_ms = now;
	if (output->chatty && waited)
		output->chatty = false;
	if (output->chatty)
		return got < (ssize_t)READ_MAX;
	output->small_reads = soon && got < SMALL_READ ? output->small_reads + 1 : 0;
	if (output->small_reads < CHATTY_READS)
		return false;
	output->small_reads = 0;
	output->chatty = true;
	enlarge(output);
	return true;
}

/* Reads once into the ring. Returns as read() does, or 0 with *full when there is no room. */
static ssize_t take(struct job_output *output, bool *full)
{
	struct stream *stream = output->job->stream;
	struct iovec piece[2];
	*full = ring_room(&stream->out, output->channel) == 0;
	if (*full)
		return 0;
	int pieces = ring_reserve(&stream->out, READ_MAX, piece);
	ssize_t got = readv(output->watch.fd, piece, pieces);
	if (got <= 0)
		return got;
	ring_commit(&stream->out, output->channel, (size_t)got);
	stream_produced(stream);
	if (got >= PIPE_SMALL)
		enlarge(output);
	if (output->owed > 0)
		output->owed -= (int)got;
	return got;
}

static void output_ready(void *owner, uint32_t events)
{
	struct job_output *output = owner;
	struct job *job = output->job;
	struct loop *loop = &job->agent->loop;
	struct job_output *other = &job->output[output == &job->output[0]];
	bool full;
	(void)events;
	/* What the other one holds in its pause was mostly written before this. */
	if (other->pause.set && other->watch.fd >= 0)
		take(other, &full);
	ssize_t got = take(output, &full);
	if (full) {
		loop_watch(loop, &output->watch, 0);
		if (!job->stream->out.buf) /* no memory for a ring: no acknowledgement will come either */
			loop_set_timer(loop, &output->pause, NO_MEMORY_PAUSE_MS);
		return;
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		job_output_close(output);
		job_check_finished(job);
		return;
	}
	if (!job->reaped && is_chatty(output, got)) {
		loop_watch(loop, &output->watch, 0);
		loop_set_timer(loop, &output->pause, CHATTY_PAUSE_MS);
	}
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
