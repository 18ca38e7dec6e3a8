#include "hook-output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_MAX 4096

static void keep(struct hook_output *output, const char *bytes, size_t len)
{
	if (len >= HOOK_TAIL_MAX) {
		memcpy(output->tail, bytes + len - HOOK_TAIL_MAX, HOOK_TAIL_MAX);
		output->len = HOOK_TAIL_MAX;
		return;
	}
	size_t over = output->len + len > HOOK_TAIL_MAX ? output->len + len - HOOK_TAIL_MAX : 0;
	memmove(output->tail, output->tail + over, output->len - over);
	output->len -= over;
	memcpy(output->tail + output->len, bytes, len);
	output->len += len;
}

/* As read() does. */
static ssize_t take(struct hook_output *output)
{
	char bytes[READ_MAX];
	ssize_t got = read(output->watch.fd, bytes, sizeof bytes);
	if (got > 0)
		keep(output, bytes, (size_t)got);
	return got;
}

static void close_reader(struct hook_output *output)
{
	if (output->watch.fd < 0)
		return;
	loop_watch(output->loop, &output->watch, 0);
	close(output->watch.fd);
	output->watch.fd = -1;
}

static void ready(void *owner, uint32_t events)
{
	struct hook_output *output = owner;
	(void)events;
	ssize_t got = take(output);
	if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	close_reader(output);
	if (output->alone)
		free(output);
}

struct hook_output *hook_output_open(struct loop *loop, int *writer_fd)
{
	int ends[2];
	struct hook_output *output = calloc(1, sizeof *output);
	if (!output || pipe2(ends, O_CLOEXEC) < 0) {
		free(output);
		return NULL;
	}
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	output->loop = loop;
	output->watch = (struct watch){.fd = ends[0], .ready = ready, .owner = output};
	if (loop_watch(loop, &output->watch, EPOLLIN) < 0) {
		close(ends[0]);
		close(ends[1]);
		free(output);
		return NULL;
	}
	*writer_fd = ends[1];
	return output;
}

void hook_output_clear(struct hook_output *output)
{
	output->len = 0;
}

const char *hook_output_tail(struct hook_output *output)
{
	static char text[HOOK_TAIL_MAX + 1];
	/* As much as a pipe holds, and not for ever: others may go on writing. */
	for (int reads = 0; reads < 16 && output->watch.fd >= 0 && take(output) > 0; reads++)
		;
	memcpy(text, output->tail, output->len);
	text[output->len] = 0;
	size_t end = output->len;
	while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == ' '))
		text[--end] = 0;
	char *line = output->len == HOOK_TAIL_MAX ? strchr(text, '\n') : NULL;
	return line && line[1] ? line + 1 : text;
}

void hook_output_leave(struct hook_output *output)
{
	if (!output)
		return;
	output->alone = true;
	if (output->watch.fd < 0)
		free(output);
}
