/* Unit tests of src/job-output.c: when a writer is read at once, and when it is let run on. */
#include "../src/agent.h"
#include "../src/job.h"
#include "support/check.h"

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
	static char bytes[32768];
	CHECK(write(writer, bytes, len) == (ssize_t)len);
	uint64_t before = stream.out.length;
	output->watch.ready(output->watch.owner, EPOLLIN);
	CHECK(stream.out.length == before + len);
	ring_release(&stream.out, stream.out.length);
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
	for (int i = 0; i < 50; i++)
		write_and_read(output, 20000);
	CHECK(output->watch.events == EPOLLIN && !output->pause.set);

	/* Many lines at once are (this thread may lose the processor in between: then it takes more). */
	for (int tries = 0; !output->pause.set; tries++) {
		CHECK(tries < 10000);
		write_and_read(output, 5);
	}
	CHECK(output->watch.events == 0);
	stream.ops->room(&stream); /* an acknowledgement does not end the pause */
	CHECK(output->watch.events == 0);
	loop_run(&agent.loop, settle, output);
	CHECK(output->watch.events == EPOLLIN && !output->pause.set);

	stream.ops->abort(&stream);
	ring_free(&stream.out);
	return 0;
}
