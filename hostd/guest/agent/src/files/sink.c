#include "sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#define SINK_CAPACITY (256u * 1024)
/* Shorter content is read into the buffer, where it shares a write with its neighbours. */
#define SENDFILE_FROM (64u * 1024)

int sink_open(struct sink *sink, int fd, struct failure *failure)
{
	memset(sink, 0, sizeof *sink);
	sink->fd = fd;
	sink->buf = malloc(SINK_CAPACITY);
	return sink->buf ? 0 : fail(failure, "io", "out of memory");
}

void sink_close(struct sink *sink)
{
	free(sink->buf);
	memset(sink, 0, sizeof *sink);
}

static int output_failed(struct failure *failure)
{
	return fail(failure, "io", "writing the output: %s", strerror(errno));
}

static int write_all(int fd, const unsigned char *data, size_t len, struct failure *failure)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return output_failed(failure);
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int sink_flush(struct sink *sink, struct failure *failure)
{
	size_t len = sink->len;
	sink->len = 0;
	return write_all(sink->fd, sink->buf, len, failure);
}

int sink_put(struct sink *sink, const void *data, size_t len, struct failure *failure)
{
	const unsigned char *p = data;
	while (len > 0) {
		if (sink->len == SINK_CAPACITY && sink_flush(sink, failure) < 0)
			return -1;
		size_t step = SINK_CAPACITY - sink->len < len ? SINK_CAPACITY - sink->len : len;
		memcpy(sink->buf + sink->len, p, step);
		sink->len += step;
		p += step;
		len -= step;
	}
	return 0;
}

int sink_zeros(struct sink *sink, uint64_t len, struct failure *failure)
{
	while (len > 0) {
		if (sink->len == SINK_CAPACITY && sink_flush(sink, failure) < 0)
			return -1;
		size_t step = SINK_CAPACITY - sink->len < len ? SINK_CAPACITY - sink->len : (size_t)len;
		memset(sink->buf + sink->len, 0, step);
		sink->len += step;
		len -= step;
	}
	return 0;
}

/* Returns 1 when sent, 0 when the kernel can't do it for this pair of descriptors (nothing was sent then), -1 on failure. */
static int try_sendfile(struct sink *sink, int file, uint64_t offset, uint64_t len, uint64_t *sent, const char *path, struct failure *failure)
{
	if (sink->no_sendfile || len < SENDFILE_FROM)
		return 0;
	if (sink_flush(sink, failure) < 0)
		return -1;
	off_t at = (off_t)offset;
	while (*sent < len) {
		size_t want = len - *sent < (1u << 30) ? (size_t)(len - *sent) : 1u << 30;
		ssize_t n = sendfile(sink->fd, file, &at, want);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && *sent == 0 && (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)) {
			sink->no_sendfile = true;
			return 0;
		}
		if (n < 0 && errno == EPIPE)
			return output_failed(failure);
		if (n < 0)
			return fail_errno(failure, errno, path);
		if (n == 0)
			return 1;
		*sent += (uint64_t)n;
	}
	return 1;
}

int sink_file(struct sink *sink, int file, uint64_t offset, uint64_t len, uint64_t *sent, const char *path, struct failure *failure)
{
	*sent = 0;
	int done = try_sendfile(sink, file, offset, len, sent, path, failure);
	if (done != 0)
		return done < 0 ? -1 : 0;
	while (*sent < len) {
		if (sink->len == SINK_CAPACITY && sink_flush(sink, failure) < 0)
			return -1;
		size_t room = SINK_CAPACITY - sink->len;
		size_t want = len - *sent < room ? (size_t)(len - *sent) : room;
		ssize_t n = pread(file, sink->buf + sink->len, want, (off_t)(offset + *sent));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_errno(failure, errno, path);
		if (n == 0)
			return 0;
		sink->len += (size_t)n;
		*sent += (uint64_t)n;
	}
	return 0;
}
