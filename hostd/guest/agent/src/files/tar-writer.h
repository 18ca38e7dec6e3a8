/* Writes a pax archive: ustar headers, with pax records only for what they can't hold. */
#ifndef OFFSHOOT_FILES_TAR_WRITER_H
#define OFFSHOOT_FILES_TAR_WRITER_H

#include "byte-string.h"
#include "sink.h"
#include "sparse.h"

#include <sys/stat.h>

struct tar_writer {
	struct sink sink;
	struct bytes records, map_text;
	struct sparse_map map;
	uint64_t entries, bytes;
};

struct tar_member {
	const char *path, *link;
	char type;
	const struct stat *st;
	uint64_t size; /* of the data in the archive */
	bool sparse;
};

int tar_writer_open(struct tar_writer *writer, int fd, struct failure *failure);
void tar_writer_close(struct tar_writer *writer);

/* An entry without data: a folder, symbolic link (`link` is its target) or hard link (`link` is a name in this archive) by `type`. */
int tar_write_entry(struct tar_writer *writer, const char *path, char type, const struct stat *st, const char *link, struct failure *failure);
/* A regular file; exactly st->st_size bytes, padded with zeros when it shrinks meanwhile. `sparse`: holes are left out (GNU.sparse 1.0). */
int tar_write_file(struct tar_writer *writer, const char *path, int fd, const struct stat *st, bool sparse, struct failure *failure);
/* The part of the others that writes headers. */
int tar_write_header(struct tar_writer *writer, const struct tar_member *member, struct failure *failure);
int tar_write_end(struct tar_writer *writer, struct failure *failure);

#endif
