/* Reads a tar stream entry by entry: ustar, pax, GNU long names, and all GNU sparse forms come out as one kind of entry. */
#ifndef OFFSHOOT_FILES_TAR_READER_H
#define OFFSHOOT_FILES_TAR_READER_H

#include "pax.h"
#include "source.h"
#include "tar-format.h"

#include <sys/types.h>

enum tar_kind { TAR_FILE, TAR_HARD_LINK, TAR_SYMLINK, TAR_FOLDER, TAR_SPECIAL };

struct tar_entry {
	enum tar_kind kind;
	const char *path, *link; /* as in the archive, without inner NULs */
	mode_t mode;
	int64_t uid, gid;
	struct timespec mtime;
	uint64_t size; /* of the file, holes included */
	const struct sparse_map *map; /* NULL: all of it is stored */
};

struct tar_reader {
	struct source *source;
	struct tar_entry entry;
	unsigned long long count; /* of entries read */
	uint64_t data_left, padding;
	struct pax global, local;
	struct sparse_map map;
	struct bytes name, link; /* from the header itself */
	bool long_name_given, long_link_given;
	struct bytes long_name, long_link, records;
};

void tar_reader_init(struct tar_reader *reader, struct source *source);
void tar_reader_free(struct tar_reader *reader);

/* Skips what is left of the current entry and reads the next into reader->entry (valid until the next call).
 * Returns 1, 0 at the end marker, -1 on failure (entry.path then is what is known of its name). */
int tar_reader_next(struct tar_reader *reader, struct failure *failure);

/* Up to `want` bytes of the entry's stored data, in place; `*len` > 0. Call tar_reader_consume afterwards. */
int tar_reader_data(struct tar_reader *reader, uint64_t want, const unsigned char **data, size_t *len, struct failure *failure);
void tar_reader_consume(struct tar_reader *reader, size_t len);

/* The parts of tar_reader_next. */
void tar_begin_data(struct tar_reader *reader, uint64_t size);
int tar_read_entry(struct tar_reader *reader, const unsigned char block[TAR_BLOCK], struct failure *failure);
/* Sparse formats whose map lies in the data area. */
int tar_read_old_sparse(struct tar_reader *reader, const unsigned char *header, struct failure *failure);
int tar_read_pax_sparse(struct tar_reader *reader, struct failure *failure);

#endif
