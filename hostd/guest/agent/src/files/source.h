/* A buffered input: hands out pointers into its buffer, so that data goes to disk without another copy. */
#ifndef OFFSHOOT_FILES_SOURCE_H
#define OFFSHOOT_FILES_SOURCE_H

#include "failure.h"

#include <stdbool.h>
#include <stdint.h>

#define SOURCE_CHUNK (256u * 1024)

struct source {
	int fd;
	unsigned char *buf;
	size_t start, end;
	bool at_eof;
};

int source_open(struct source *source, int fd, struct failure *failure);
void source_close(struct source *source);

/* Blocks until `want` (at most SOURCE_CHUNK) bytes are buffered or the input ends; returns how many of them there are, -1 on a read error. */
long source_want(struct source *source, size_t want, struct failure *failure);
const unsigned char *source_data(const struct source *source);
void source_consume(struct source *source, size_t len);

/* Drops `len` bytes, or what there is before the end. */
int source_skip(struct source *source, uint64_t len, struct failure *failure);

#endif
