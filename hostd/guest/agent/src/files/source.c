#include "source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SOURCE_CAPACITY (4 * SOURCE_CHUNK)

int source_open(struct source *source, int fd, struct failure *failure)
{
	memset(source, 0, sizeof *source);
	source->fd = fd;
	source->buf = malloc(SOURCE_CAPACITY);
	return source->buf ? 0 : fail(failure, "io", "out of memory");
}

void source_close(struct source *source)
{
	free(source->buf);
	memset(source, 0, sizeof *source);
}

static int read_more(struct source *source, struct failure *failure)
{
	ssize_t n;
	do
		n = read(source->fd, source->buf + source->end, SOURCE_CAPACITY - source->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail(failure, "io", "reading the input: %s", strerror(errno));
	source->at_eof = n == 0;
	source->end += (size_t)n;
	return 0;
}

long source_want(struct source *source, size_t want, struct failure *failure)
{
	if (source->start == source->end)
		source->start = source->end = 0;
	if (SOURCE_CAPACITY - source->start < want) {
		memmove(source->buf, source->buf + source->start, source->end - source->start);
		source->end -= source->start;
		source->start = 0;
	}
	while (source->end - source->start < want && !source->at_eof)
		if (read_more(source, failure) < 0)
			return -1;
	size_t have = source->end - source->start;
	return (long)(have < want ? have : want);
}

const unsigned char *source_data(const struct source *source)
{
	return source->buf + source->start;
}

void source_consume(struct source *source, size_t len)
{
	source->start += len;
}

int source_skip(struct source *source, uint64_t len, struct failure *failure)
{
	while (len > 0) {
		long n = source_want(source, 1, failure);
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		size_t have = source->end - source->start;
		size_t step = have < len ? have : (size_t)len;
		source_consume(source, step);
		len -= step;
	}
	return 0;
}
