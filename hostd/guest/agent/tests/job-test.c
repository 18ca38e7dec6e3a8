/* Unit tests of src/job-output.c: when a writer is read at once, and when it is let run on. */
#include "../src/agent.h"
#include "../src/job.h"
#include "support/check.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static struct agent agent;
static struct stream stream;
static int writer;

static void settle(void *owner)
{
	const struct job_output *output = owner;
	agent.loop.stopping = !output->pause.set;
}

static void write_and_read(struct job_output *output, size_t len)
{
	static char bytes[300000];
	CHECK(write(writer, bytes, len) == (ssize_t)len);
	uint64_t before = stream.out.length;
	output->watch.ready(output->watch.owner, EPOLLIN);
	CHECK(stream.out.length == before + len);
	ring_release(&stream.out, stream.out.length);
}

/* Many lines at once make it pause. (This thread may lose the processor in between: then it takes more of them.) */
static void until_paused(struct job_output *output)
{
	for (int tries = 0; !output->pause.set; tries++) {
		CHECK(tries < 10000);
		write_and_read(output, 5);
	}
}

/* Whether a read right after a pause was ever followed by a pause, or by none; the writer counts as chatty in both cases. */
static bool after_a_pause(struct job_output *output, size_t len, bool pauses)
{
	for (int tries = 0; tries < 300; tries++) {
		until_paused(output);
		agent.loop.stopping = false;
		loop_run(&agent.loop, settle, output);
		write_and_read(output, len);
		if (output->chatty && output->pause.set == pauses)
			return true;
	}
	return false;
}

int main(void)
{
	int ends[2];
	CHECK(loop_init(&agent.loop) == 0 && pipe(ends) == 0);
	writer = ends[1];
	struct job *job = job_new(&agent, &stream, -1, ends[0], -1);
	CHECK(job);
	job_run(job, 0);
	struct job_output *output = &job->output[0];
	CHECK(output->watch.events == EPOLLIN && output->channel == 1);

	/* The first lines, and lines with pauses between, are taken as they come. */
	for (int i = 0; i < 5; i++)
		write_and_read(output, 5);
	CHECK(output->watch.events == EPOLLIN && !output->pause.set);
	for (int i = 0; i < 20; i++) {
		usleep(5000);
		write_and_read(output, 5);
	}
	CHECK(output->watch.events == EPOLLIN && !output->pause.set);

	/* Large reads are no reason to wait. */
	CHECK(fcntl(writer, F_SETPIPE_SZ, 1 << 20) > 0);
	for (int i = 0; i < 50; i++)
		write_and_read(output, 200000);
	CHECK(output->watch.events == EPOLLIN && !output->pause.set);

	until_paused(output);
	CHECK(output->watch.events == 0);
	stream.ops->room(&stream); /* an acknowledgement does not end the pause */
	CHECK(output->watch.events == 0);
	loop_run(&agent.loop, settle, output);
	CHECK(output->watch.events == EPOLLIN && !output->pause.set);

	/* It stays chatty while it has more to say right after a pause... */
	CHECK(after_a_pause(output, 200000, true));
	/* ...but goes on at once when a read was full. */
	CHECK(after_a_pause(output, 256 << 10, false));
	/* After silence it starts afresh. */
	usleep(10000);
	write_and_read(output, 5);
	CHECK(!output->pause.set && !output->chatty && output->watch.events == EPOLLIN);

	stream.ops->abort(&stream);
	ring_free(&stream.out);
	return 0;
}
