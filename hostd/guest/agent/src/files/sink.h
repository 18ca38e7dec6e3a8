/* A buffered output that can also move file content without copying it through this process. */
#ifndef OFFSHOOT_FILES_SINK_H
#define OFFSHOOT_FILES_SINK_H

#include "failure.h"

#include <stdbool.h>
#include <stdint.h>

struct sink {
	int fd;
	unsigned char *buf;
	size_t len;
	bool no_sendfile;
};

int sink_open(struct sink *sink, int fd, struct failure *failure);
void sink_close(struct sink *sink);

int sink_put(struct sink *sink, const void *data, size_t len, struct failure *failure);
int sink_zeros(struct sink *sink, uint64_t len, struct failure *failure);
int sink_flush(struct sink *sink, struct failure *failure);

/* Sends up to `len` bytes of `file` from `offset`; `*sent` tells how many there were before its end. `path` is for messages. */
int sink_file(struct sink *sink, int file, uint64_t offset, uint64_t len, uint64_t *sent, const char *path, struct failure *failure);

#endif
